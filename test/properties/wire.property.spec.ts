import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StoredEvent } from '../../src/embedded-store/stored-event.js';
import {
  decodeAppendMessage,
  decodeBatchAppendMessage,
  encodeBatchAppendResponse,
  encodeReadEvent,
} from '../../src/embedded-store/grpc/wire.js';

const bytes = fc.uint8Array({ maxLength: 300 }).map((each) => new Uint8Array(each));
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
const count = fc.maxSafeNat();
const textOf = (encoded: Uint8Array): string => Buffer.from(encoded).toString();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const storedEvent: fc.Arbitrary<StoredEvent> = fc.record({
  stream: name,
  revision: count,
  position: count,
  createdAt: fc.integer({ min: 0, max: 8_640_000_000_000 }),
  id: fc.uuid(),
  type: name,
  isJson: fc.boolean(),
  data: bytes,
  metadata: bytes,
});

const idIn = (uuid: InstanceType<typeof shared.UUID> | undefined): string => {
  const { mostSignificantBits = '0', leastSignificantBits = '0' } = uuid?.getStructured()?.toObject() ?? {};
  if (uuid?.hasStructured() !== true) return uuid?.getString() ?? '';
  const hex = [mostSignificantBits, leastSignificantBits]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

test('an event that is encoded by hand reads the same by the generated classes', () => {
  fc.assert(
    fc.property(storedEvent, fc.constantFrom('string', 'structured'), (event, form) => {
      const response = streams.ReadResp.deserializeBinary(encodeReadEvent(event, form));
      const recorded = response.getEvent()?.getEvent();
      const map = recorded?.getMetadataMap();
      expect({
        stream: textOf(recorded?.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()),
        revision: Number(recorded?.getStreamRevision()),
        position: Number(recorded?.getCommitPosition()),
        createdAt: Number(BigInt(map?.get('created') ?? 0) / 10_000n),
        id: idIn(recorded?.getId()),
        type: map?.get('type'),
        isJson: map?.get('content-type') === 'application/json',
        data: recorded?.getData_asU8(),
        metadata: recorded?.getCustomMetadata_asU8(),
      }).toEqual(event);
      expect(response.getEvent()?.getCommitPosition()).toBe(String(event.position));
    }),
  );
});

test('a batch append of the generated classes reads the same by hand', () => {
  fc.assert(
    fc.property(name, fc.array(storedEvent, { maxLength: 5 }), count, (stream, events, revision) => {
      const options = new streams.BatchAppendReq.Options();
      const identifier = new shared.StreamIdentifier();
      identifier.setStreamName(base64(stream));
      options.setStreamIdentifier(identifier);
      options.setStreamPosition(String(revision));
      const request = new streams.BatchAppendReq();
      request.setOptions(options);
      request.setIsFinal(true);
      for (const { id, type, isJson, data, metadata } of events) {
        const message = new streams.BatchAppendReq.ProposedMessage();
        const uuid = new shared.UUID();
        uuid.setString(id);
        message.setId(uuid);
        message.getMetadataMap().set('type', type);
        message
          .getMetadataMap()
          .set('content-type', isJson ? 'application/json' : 'application/octet-stream');
        message.setData(data);
        message.setCustomMetadata(metadata);
        request.addProposedMessages(message);
      }
      const decoded = decodeBatchAppendMessage(request.serializeBinary());
      expect(textOf(decoded.options?.stream ?? new Uint8Array())).toBe(stream);
      expect(decoded).toMatchObject({ isFinal: true, options: { expectedRevision: revision } });
      expect(
        decoded.events.map((event) => ({
          ...event,
          type: textOf(event.type),
          data: new Uint8Array(event.data),
          metadata: new Uint8Array(event.metadata),
        })),
      ).toEqual(events.map(({ id, type, isJson, data, metadata }) => ({ id, type, isJson, data, metadata })));
    }),
  );
});

test('an answer to a batch append that is encoded by hand reads the same by the generated classes', () => {
  fc.assert(
    fc.property(name, count, count, (stream, lastRevision, position) => {
      const id = new shared.UUID();
      id.setString('00000000-0000-4000-8000-000000000001');
      const success = { lastRevision, position };
      const encoded = encodeBatchAppendResponse(id.serializeBinary(), Buffer.from(stream), { success });
      const response = streams.BatchAppendResp.deserializeBinary(encoded);
      expect(response.getCorrelationId()?.getString()).toBe(id.getString());
      expect(textOf(response.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array())).toBe(stream);
      expect(response.getSuccess()?.getCurrentRevision()).toBe(String(lastRevision));
      expect(response.getSuccess()?.getPosition()?.getCommitPosition()).toBe(String(position));
    }),
  );
});

test('bytes that are no message are refused, never read for ever', () => {
  fc.assert(
    fc.property(bytes, (garbage) => {
      for (const decode of [decodeAppendMessage, decodeBatchAppendMessage]) {
        try {
          decode(garbage);
        } catch (error) {
          expect((error as Error).name).toMatch(/Error$|InvalidRequest/);
        }
      }
    }),
  );
});
