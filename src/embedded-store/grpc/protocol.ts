/**
 * The protocol as the official client ships it: generated messages and service definitions, registered unchanged.
 * They are CommonJS without named exports that Node.js could see, hence the default imports, all in this one place.
 */
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import featuresServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import protobufEmpty from 'google-protobuf/google/protobuf/empty_pb.js';

export const { StreamsService } = streamsServices;
export const { GossipService } = gossipServices;
export const { ServerFeaturesService } = featuresServices;
export { features, gossip, protobufEmpty, shared, streams };
