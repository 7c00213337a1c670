import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const program = fileURLToPath(new URL('dist/cli/main.js', root));

describe('longshore', () => {
  it('prints the version of its package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
      version: string;
    };
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--version']);
    expect(stdout).toBe(`${version}\n`);
  });
});
