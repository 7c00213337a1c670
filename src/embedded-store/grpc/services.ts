import type {
  sendUnaryData,
  Server,
  ServerUnaryCall,
  ServiceDefinition,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { appendCall } from './append-call.js';
import { batchAppendCall } from './batch-append-call.js';
import { decoderOf } from './bounded-reader.js';
import { deleteCall, tombstoneCall } from './delete-calls.js';
import {
  features,
  gossip,
  GossipService,
  ServerFeaturesService,
  shared,
  StreamsService,
  streams,
} from './protocol.js';
import { readCall } from './read-call.js';
import type { StoreContext } from './store-context.js';
import { decodeAppendMessage, decodeBatchAppendMessage } from './wire.js';

/** The version of EventStoreDB whose protocol this is: clients choose by it what they may use. */
const protocolVersion = '24.10.0';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Registers what a client of EventStoreDB calls: streams, server features and gossip. */
export function addServices(server: Server, context: StoreContext, advertised: Endpoint): void {
  const add = (service: unknown, calls: UntypedServiceImplementation) =>
    server.addService(service as ServiceDefinition, calls);
  add(streamsService(), {
    read: readCall(context),
    append: appendCall(context),
    batchAppend: batchAppendCall(context),
    delete: deleteCall(context),
    tombstone: tombstoneCall(context),
  });
  add(ServerFeaturesService, { getSupportedMethods: constant(supportedMethods()) });
  add(GossipService, { read: constant(clusterOfOne(advertised)) });
}

/** The definition of the official client, but for the messages that are encoded and decoded by hand. */
function streamsService() {
  const encoded = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, byteLength);
  return {
    ...StreamsService,
    read: {
      ...StreamsService.read,
      requestDeserialize: decoderOf(streams.ReadReq),
      responseSerialize: encoded,
    },
    delete: { ...StreamsService.delete, requestDeserialize: decoderOf(streams.DeleteReq) },
    tombstone: { ...StreamsService.tombstone, requestDeserialize: decoderOf(streams.TombstoneReq) },
    append: { ...StreamsService.append, requestDeserialize: decodeAppendMessage },
    batchAppend: {
      ...StreamsService.batchAppend,
      requestDeserialize: decodeBatchAppendMessage,
      responseSerialize: encoded,
    },
  };
}

const constant =
  <T>(response: T) =>
  (_call: ServerUnaryCall<unknown, T>, answer: sendUnaryData<T>): void => {
    answer(null, response);
  };

function supportedMethods() {
  const response = new features.SupportedMethods();
  response.setEventStoreServerVersion(protocolVersion);
  const streamsName = 'event_store.client.streams.streams';
  for (const method of ['read', 'append', 'batchappend', 'delete', 'tombstone']) {
    response.addMethods(supported(streamsName, method, method === 'read' ? ['position', 'events'] : []));
  }
  response.addMethods(supported('event_store.client.gossip.gossip', 'read', []));
  return response;
}

function supported(service: string, method: string, list: string[]) {
  const message = new features.SupportedMethod();
  message.setServiceName(service);
  message.setMethodName(method);
  message.setFeaturesList(list);
  return message;
}

/** One node, which leads: enough for a client that discovers its cluster. */
function clusterOfOne({ host, port }: Endpoint) {
  const endpoint = new gossip.EndPoint();
  endpoint.setAddress(host);
  endpoint.setPort(port);
  const id = new shared.UUID();
  id.setString(randomUUID());
  const member = new gossip.MemberInfo();
  member.setInstanceId(id);
  member.setTimeStamp(String(Date.now() * 10_000));
  member.setState(gossip.MemberInfo.VNodeState.LEADER);
  member.setIsAlive(true);
  member.setHttpEndPoint(endpoint);
  const cluster = new gossip.ClusterInfo();
  cluster.addMembers(member);
  return cluster;
}
