import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Certificate {
  readonly certificatePath: string;
  readonly certificate: Buffer;
  readonly key: Buffer;
  remove(): Promise<void>;
}

/** A certificate for localhost that signs itself. Made anew each time, so that no key lies in the repository. */
export const makeCertificate = async (): Promise<Certificate> => {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-certificate-'));
  const certificatePath = join(directory, 'certificate.pem');
  const keyPath = join(directory, 'key.pem');
  const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost';
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyPath, '-out', certificatePath];
  await promisify(execFile)('openssl', [...request.split(' '), ...names]);
  return {
    certificatePath,
    certificate: await readFile(certificatePath),
    key: await readFile(keyPath),
    remove: () => rm(directory, { recursive: true }),
  };
};
