import { execFile } from 'node:child_process';
import { statfs, writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withTemporaryDirectory } from './temporary-directory.js';

const run = promisify(execFile);

/** A real file system of its own, small enough to be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all the room that is left, to the last byte. */
  fill(): Promise<void>;
  /** Gives the room back. */
  empty(): Promise<void>;
  grow(mebibytes: number): Promise<void>;
  /** Lets nobody write any more, not even the superuser. */
  makeReadOnly(): Promise<void>;
}

/** Needs the right to mount: whoever runs the tests without it is told so, since nothing else is a full disk. */
export const withSmallDisk = async (
  mebibytes: number,
  test: (disk: SmallDisk) => Promise<void>,
): Promise<void> =>
  withTemporaryDirectory(async (path) => {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path]);
    const ballast = join(path, 'ballast');
    try {
      await test({
        path,
        fill: async () => {
          const { bavail, bsize } = await statfs(path);
          await writeFile(ballast, Buffer.alloc(bavail * bsize));
        },
        empty: () => rm(ballast),
        grow: async (size) => {
          await run('mount', ['-o', `remount,size=${size}m`, path]);
        },
        makeReadOnly: async () => {
          await run('mount', ['-o', 'remount,ro', path]);
        },
      });
    } finally {
      await run('umount', [path]);
    }
  });
