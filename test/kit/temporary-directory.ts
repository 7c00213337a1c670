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
export const withTemporaryDirectory = async (test: (path: string) => Promise<void> | void): Promise<void> => {
  const directory = await makeTemporaryDirectory();
  try {
    await test(directory.path);
  } finally {
    await directory.remove();
  }
};
