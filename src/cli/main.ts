#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { eventsCommand } from './local/events.command.js';
import { replayCommand } from './local/replay.command.js';
import { storeCommand } from './local/store.command.js';

// Read, not imported: a module outside `src` would move everything in `dist` one folder down.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const program = new Command('longshore')
  .description('An event-sourced distributed scheduler for long-running jobs.')
  .version(version)
  .addCommand(storeCommand())
  .addCommand(eventsCommand())
  .addCommand(replayCommand());

await program.parseAsync();
