import type { EmbeddedStore, EmbeddedStoreOptions } from '../../src/embedded-store/embedded-store.js';

interface BuiltModule {
  readonly EmbeddedStore: {
    start(options: EmbeddedStoreOptions): Promise<Pick<EmbeddedStore, keyof EmbeddedStore>>;
  };
}

/** The embedded store as it is built: a thread can run nothing else. */
export const startEmbeddedStore = async (
  dataDirectory: string,
): Promise<Pick<EmbeddedStore, keyof EmbeddedStore>> => {
  const built = new URL('../../dist/embedded-store/embedded-store.js', import.meta.url);
  const module = (await import(built.href)) as BuiltModule;
  return module.EmbeddedStore.start({ dataDirectory, tcp: { host: '127.0.0.1', port: 0 } });
};

export const connectionStringTo = (port: number | undefined): string =>
  `esdb://127.0.0.1:${String(port)}?tls=false`;
