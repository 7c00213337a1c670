import type { ClusterId, ServerId } from '../../src/core/ids.js';
import type { Instant } from '../../src/core/instant.js';
import { limits } from '../../src/core/limits.js';
import type { Command } from '../../src/core/tracker/command.js';
import { decide } from '../../src/core/tracker/decide.js';
import type { Decision, FactAnswer } from '../../src/core/tracker/decision.js';
import type { Event } from '../../src/core/tracker/event.js';
import { evolve } from '../../src/core/tracker/evolve.js';
import type { Fact } from '../../src/core/tracker/fact.js';
import { integrate } from '../../src/core/tracker/integrate.js';
import { pumpNext } from '../../src/core/tracker/pump.js';
import type { Settings } from '../../src/core/tracker/settings.js';
import { TrackerState } from '../../src/core/tracker/state.js';

/** More than any test needs: who comes here goes round in circles. */
const stepsMax = 100_000;

/** A leader without a log, at a virtual instant: it decides, folds, and remembers what it would have appended. */
export class CoreDriver {
  readonly state = new TrackerState();
  /** The events of each decision, in order. */
  readonly decisions: (readonly Event[])[] = [];
  /** Begins late enough for priorities to be worth time before it. */
  now: Instant = 1_000_000_000_000;

  constructor(settings: Partial<Settings> = {}) {
    this.fold({ type: 'ClusterCreated', clusterId: 'cluster' as ClusterId, at: this.now });
    this.startTerm(settings);
  }

  get events(): Event[] {
    return this.decisions.flat();
  }

  /** The next leader goes on with the settings of the one before, but for those given. */
  startTerm(settings: Partial<Settings> = {}): void {
    const { term, settings: before } = this.state;
    const number = term.number + 1;
    const leader = `server-${number}` as ServerId;
    this.fold({
      type: 'TermStarted',
      term: number,
      leader,
      settings: { ...before, ...settings },
      at: this.now,
    });
  }

  endTerm(): void {
    this.fold({ type: 'TermEnded', term: this.state.term.number, at: this.now });
  }

  pass(ms: number): void {
    this.now += ms;
  }

  /** Folds events as one decision. */
  fold(...events: readonly Event[]): void {
    for (const event of events) evolve(this.state, event);
    if (events.length > 0) this.decisions.push(events);
  }

  command(command: Command): Decision {
    const decision = decide(this.state, command, this.now);
    if (decision.kind === 'accepted') this.fold(...decision.events);
    return decision;
  }

  /** Integrates the fact and what is left of it, step by step. @returns the last answer, which is the one that holds */
  fact(fact: Fact): FactAnswer {
    let next = fact;
    for (let step = 0; step < stepsMax; step += 1) {
      const { events, answer, rest } = integrate(this.state, next, this.now);
      this.fold(...events);
      if (!rest) return answer;
      next = rest;
    }
    throw new Error(`${fact.type} is never over`);
  }

  /** Places what can be placed, in decisions of bounded size, until nothing more can be. */
  pump(): void {
    for (let step = 0; step < stepsMax; step += 1) if (!this.pumpStep()) return;
    throw new Error('the pump is never quiet');
  }

  /** A fresh state from what would have been read back from a log. */
  replayed(): TrackerState {
    const state = new TrackerState();
    for (const event of this.events) evolve(state, JSON.parse(JSON.stringify(event)) as Event);
    return state;
  }

  /** @returns whether the step was full, so that there may be more to do */
  private pumpStep(): boolean {
    const events: Event[] = [];
    while (events.length < limits.eventsPerStepMax) {
      const event = pumpNext(this.state, this.now);
      if (!event) break;
      evolve(this.state, event);
      events.push(event);
    }
    if (events.length > 0) this.decisions.push(events);
    return events.length === limits.eventsPerStepMax;
  }
}
