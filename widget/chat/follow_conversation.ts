import { ApiError, type ChatApi, type Ticket } from "./chat_api.ts";
import type { ConversationModel } from "./conversation_state.ts";
import type { ChatEvent } from "./read_events.ts";
import type { Outbox } from "./stored.ts";
import { retryDelay, type RetryWaits, wait } from "./wait.ts";

export interface FollowOptions {
  api: ChatApi;
  ticket: Ticket;
  model: ConversationModel;
  outbox: Outbox;
  waits: RetryWaits;
  /** Is aborted when the conversation is left. */
  signal: AbortSignal;
  /** Called after the history was loaded, at the start and after each failure. */
  onHistory: () => void;
  /** The token is no longer valid. */
  onRefused: () => void;
}

/** Without a stream, messages are polled every few seconds: as often as retries after this many failures. */
const POLLING_FAILURES = 3;

/** Keeps up with a conversation until it is left or closed: loads what is missing and reads the stream of events. */
export async function followConversation(options: FollowOptions): Promise<void> {
  const { api, ticket, model, outbox, waits, signal, onHistory, onRefused } = options;
  const stream = new AbortController();
  signal.addEventListener("abort", () => stream.abort(), { once: true });
  let failures = 0;

  function receive(event: ChatEvent): void {
    if (stream.signal.aborted) return;
    if (event.type === "message") outbox.confirm(event.message);
    model.dispatch(event);
    if (event.type === "status" && event.status === "closed") stream.abort();
  }

  while (!stream.signal.aborted && !model.state.isClosed) {
    let isReached = false;
    try {
      if (model.state.log.last === undefined || failures > 0) {
        const history = await api.history(ticket, model.state.log.last);
        const { status, messages } = history;
        if (stream.signal.aborted) return;
        isReached = true;
        failures = Math.min(failures, POLLING_FAILURES);
        messages.forEach(outbox.confirm);
        model.dispatch({
          ...{ type: "history", status, messages },
          visitorRead: history.visitor_read,
          operatorRead: history.operator_read,
          hasEmail: history.has_email,
          rating: history.rating,
        });
        if (status === "closed") return;
        waits.end();
        onHistory();
      }
      await api.follow(ticket, {
        after: model.state.log.last ?? 0,
        signal: stream.signal,
        onOpen() {
          failures = 0;
          model.dispatch({ type: "connected" });
          waits.end();
        },
        onEvent: receive,
      });
    } catch (error) {
      if (stream.signal.aborted) return;
      if (error instanceof ApiError && error.isRefusal) return onRefused();
      model.dispatch({ type: "disconnected", isReached });
      failures++;
    }
    // Also after a stream that ended normally, so that the server never receives requests without a pause.
    await wait(retryDelay(failures), stream.signal, waits.signal);
  }
}
