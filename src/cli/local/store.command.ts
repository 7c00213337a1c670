import { Command, InvalidArgumentError } from 'commander';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { readUsersFile } from '../../embedded-store/access-control.js';
import { endProcess } from '../../embedded-store/log-failure.js';
import { StoreServer, type StoreServerOptions } from '../../embedded-store/store-server.js';

interface StoreFlags {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly users?: string;
  readonly appendBytesMax?: number;
}

/** `longshore store`: the embedded store as a process of its own, for several servers on one machine. */
export function storeCommand(): Command {
  return new Command('store')
    .description('run the embedded event store on its own; it speaks the protocol of EventStoreDB')
    .requiredOption('--data <directory>', 'where the events are kept; made if it does not exist')
    .option('--host <address>', 'where it listens', '127.0.0.1')
    .option('--port <number>', 'the port; 0 takes a free one', parsePort, 2113)
    .option('--tls-cert <file>', 'certificate (PEM); clients then connect with tls=true')
    .option('--tls-key <file>', 'its key (PEM)')
    .option('--users <file>', 'JSON list of users who may connect over TCP; needs TLS')
    .option('--append-bytes-max <bytes>', 'the largest append it takes (default: 1048576)', parseBytes)
    .addHelpText('after', '\nIt also listens at DIRECTORY/store.sock, for programs of the same user.')
    .action(async (flags: StoreFlags, command: Command) => {
      try {
        await run(flags);
      } catch (error) {
        command.error(`longshore store: ${error instanceof Error ? error.message : String(error)}`, {
          exitCode: 1,
        });
      }
    });
}

async function run(flags: StoreFlags): Promise<void> {
  const server = await StoreServer.start({ ...optionsOf(flags), onLogFailure: endProcess });
  let isStopping = false;
  const stop = () => {
    if (!isStopping) void server.stop().then(() => console.log('longshore store: stopped'));
    isStopping = true;
  };
  // Not `once`: without a listener the second signal would end the process where it stands.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  console.log(
    `longshore store: listening on ${flags.host}:${server.port ?? flags.port} and ${server.socketPath}`,
  );
}

function optionsOf(flags: StoreFlags): Omit<StoreServerOptions, 'onLogFailure'> {
  const tls = tlsOf(flags);
  if (flags.users !== undefined && !tls) {
    throw new Error(
      '--users needs --tls-cert and --tls-key: clients send no password over a plain connection',
    );
  }
  const users = flags.users === undefined ? undefined : readUsersFile(flags.users);
  return {
    dataDirectory: flags.data,
    tcp: { host: flags.host, port: flags.port, ...(tls && { tls }), ...(users && { users }) },
    ...(flags.appendBytesMax !== undefined && { appendBytesMax: flags.appendBytesMax }),
  };
}

function tlsOf({ tlsCert, tlsKey }: StoreFlags) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw new Error('--tls-cert and --tls-key go together');
  const tls = { certificate: readFileSync(tlsCert), key: readFileSync(tlsKey) };
  try {
    createSecureContext({ cert: tls.certificate, key: tls.key });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`--tls-cert ${tlsCert} with --tls-key ${tlsKey} cannot be used: ${reason}`, {
      cause: error,
    });
  }
  return tls;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

function parseBytes(text: string): number {
  const bytes = Number(text);
  if (/^\d+$/.test(text) && bytes >= 1_024 && bytes <= 16 * 1_048_576) return bytes;
  throw new InvalidArgumentError('It must be a whole number from 1024 to 16777216.');
}
