import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

/** Encoded messages that are written together; at least one. */
export type MessageGroup = readonly Uint8Array[];

/**
 * Lets calls that answer more than once hand over several messages at a time. grpc-js would wait for the socket after each,
 * which takes longer than encoding it.
 */
export const messageGroups: ServerInterceptor = ({ responseStream }, call) =>
  responseStream ? new GroupingCall(call) : new ServerInterceptingCall(call);

class GroupingCall extends ServerInterceptingCall {
  override sendMessage(group: MessageGroup, onWritten: () => void): void {
    let left = group.length;
    const onEachWritten = () => {
      left -= 1;
      if (left === 0) onWritten();
    };
    for (const message of group) super.sendMessage(message, onEachWritten);
  }
}
