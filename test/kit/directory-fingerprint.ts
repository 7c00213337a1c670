import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file of a directory by its bytes and the time they were written, to find that nobody has touched it. */
export const fingerprintOf = async (directory: string): Promise<Readonly<Record<string, string>>> => {
  const files = await readdir(directory, { recursive: true });
  const prints = files.map(async (file) => {
    const path = join(directory, file);
    const stats = await stat(path, { bigint: true });
    const bytes = stats.isFile() ? await readFile(path) : '';
    const hash = createHash('sha256').update(bytes).digest('hex');
    return [file, `${stats.size} bytes, written at ${stats.mtimeNs}, ${hash}`] as const;
  });
  return Object.fromEntries(await Promise.all(prints));
};
