import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

export const makeTemporaryDirectory = async (): Promise<TemporaryDirectory> => {
  const path = await mkdtemp(join(tmpdir(), 'longshore-store-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};

/** Runs `test` with a directory of its own, and leaves nothing of it. */
export const withTemporaryDirectory = async <T>(test: (path: string) => Promise<T> | T): Promise<T> => {
  const directory = await makeTemporaryDirectory();
  try {
    return await test(directory.path);
  } finally {
    await directory.remove();
  }
};
