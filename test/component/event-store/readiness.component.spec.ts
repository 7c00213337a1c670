import { describe, expect, test } from '@jest/globals';
import { ReadinessRecord } from '../../../src/event-store/readiness.js';

const recordAt = () => {
  const clock = { now: 0 };
  const record = new ReadinessRecord({ successMaxAgeMs: 1_000, lagMaxMs: 500 }, () => clock.now);
  return { clock, record };
};

describe('readiness', () => {
  test('is not given before the first append or read has succeeded', () => {
    const { record } = recordAt();
    expect(record.judge()).toEqual({ isReady: false, subscriptions: [] });
  });

  test('lasts as long as the last success is recent', () => {
    const { clock, record } = recordAt();
    record.noteSuccess();
    clock.now = 1_000;
    expect(record.judge()).toMatchObject({ isReady: true, lastSuccessAgoMs: 1_000 });
    clock.now = 1_001;
    expect(record.judge()).toMatchObject({ isReady: false });
    record.noteSuccess();
    expect(record.judge()).toMatchObject({ isReady: true, lastSuccessAgoMs: 0 });
  });

  test('ends when a subscription has been behind for too long', () => {
    const { record } = recordAt();
    const lag = { behindMs: 500 };
    const subscription = { lag: () => ({ name: 'tracker-0', isCaughtUp: false, ...lag }) };
    record.noteSuccess();
    record.add(subscription);
    expect(record.judge()).toMatchObject({ isReady: true, subscriptions: [{ name: 'tracker-0' }] });
    lag.behindMs = 501;
    expect(record.judge().isReady).toBe(false);
    record.remove(subscription);
    expect(record.judge()).toMatchObject({ isReady: true, subscriptions: [] });
  });
});
