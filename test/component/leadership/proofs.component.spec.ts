import { expect, test } from '@jest/globals';
import { Outputs } from '../../../src/aggregate/outputs.js';
import { Proofs } from '../../../src/leadership/proofs.js';

const recording = () => {
  const left: string[] = [];
  const output = (name: string, revision: number, moment: number) => ({
    revision,
    moment,
    deliver: () => left.push(name),
    drop: (fate: string) => left.push(`${name} dropped: ${fate}`),
  });
  return { left, output };
};

test('a proof covers what was decided before it was asked for, and nothing later (P2)', () => {
  const proofs = new Proofs(() => 0);
  const before = proofs.mark();
  const proven = proofs.ask();
  const after = proofs.mark();
  proven();
  expect([proofs.covers(before), proofs.covers(after)]).toEqual([true, false]);
});

test('a proof counts from when it was asked for, not from its answer', () => {
  let now = 0;
  const proofs = new Proofs(() => now);
  expect(proofs.ageMs()).toBe(Infinity);
  const proven = proofs.ask();
  now = 700;
  proven();
  expect(proofs.ageMs()).toBe(700);
});

test('an output leaves once it is durable and proven, and not before either', () => {
  const proofs = new Proofs(() => 0);
  const outputs = new Outputs(proofs);
  const { left, output } = recording();
  outputs.add(output('first', 7, proofs.mark()));
  outputs.release(7);
  expect(left).toEqual([]);
  proofs.ask()();
  outputs.release(6);
  expect(left).toEqual([]);
  outputs.release(7);
  expect(left).toEqual(['first']);
});

test('outputs leave in the order in which they were decided', () => {
  const proofs = new Proofs(() => 0);
  const outputs = new Outputs(proofs);
  const { left, output } = recording();
  outputs.add(output('first', 7, proofs.mark()));
  outputs.add(output('second', 3, proofs.mark()));
  proofs.ask()();
  outputs.release(3);
  expect(left).toEqual([]);
  outputs.release(7);
  expect(left).toEqual(['first', 'second']);
  expect(outputs.isEmpty).toBe(true);
});

test('an output that waits for a proof alone asks for one', () => {
  const proofs = new Proofs(() => 0);
  const outputs = new Outputs(proofs);
  const { output } = recording();
  outputs.add(output('first', 7, proofs.mark()));
  expect([outputs.needsProof(6), outputs.needsProof(7)]).toEqual([false, true]);
});

test('outputs that are dropped are told what became of what they were decided on', () => {
  const proofs = new Proofs(() => 0);
  const outputs = new Outputs(proofs);
  const { left, output } = recording();
  outputs.add(output('first', 7, proofs.mark()));
  outputs.add(output('second', 8, proofs.mark()));
  outputs.dropAll(7, 'lost');
  expect(left).toEqual(['first dropped: durable', 'second dropped: lost']);
});
