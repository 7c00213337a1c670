import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const days = ['-days', '2'];
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Makes `ca.crt`, and `node.crt` with `node.key` for this machine, signed by it. Used once, so nothing else is kept. */
export function makeCertificates(directory) {
  const openssl = (...parameters) =>
    execFileSync('openssl', parameters, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  const authority = ['-subj', '/CN=Tests of the official client', '-keyout', 'ca.key', '-out', 'ca.crt'];
  openssl('req', '-x509', ...newKey, ...days, ...authority);
  openssl('req', ...newKey, '-subj', '/CN=localhost', '-keyout', 'node.key', '-out', 'node.csr');
  // The tests go by the name; the store advertises itself by its address.
  writeFileSync(`${directory}/names`, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', ...days, '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'node.csr', ...signed, '-out', 'node.crt');
}
