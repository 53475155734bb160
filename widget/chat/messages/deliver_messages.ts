import { ApiError, type ChatApi, type Ticket } from "../chat_api.ts";
import type { ConversationModel } from "../conversation_state.ts";
import type { Outbox, Pending } from "../stored.ts";
import type { FileRefusal } from "../texts.ts";
import { retryDelay, type RetryWaits, wait } from "../wait.ts";

export interface DeliveryOptions {
  api: ChatApi;
  model: ConversationModel;
  outbox: Outbox;
  waits: RetryWaits;
  /** Returns the conversation. Resumes or opens one if there is none. */
  enter: () => Promise<Ticket>;
  /** Leaves the conversation, whose token is no longer valid. */
  leave: () => void;
  onEnd: () => void;
}

/**
 * Returns the function that sends the pending messages one after the other, which keeps their order. It retries until the
 * outbox is empty or the conversation is closed; calls meanwhile do nothing.
 */
export function createDelivery(options: DeliveryOptions): () => Promise<void> {
  const { api, model, outbox, waits, enter, leave, onEnd } = options;
  const nextPending = () => outbox.all().find(({ isRefused }) => !isRefused);
  let isRunning = false;

  async function deliver(pending: Pending): Promise<void> {
    const message = await api.post(await enter(), pending);
    outbox.remove(pending.id);
    model.dispatch({ type: "delivered", message });
    if (model.state.connection === "reconnecting") waits.end();
  }

  /** Waits until the next attempt after a failure. Returns whether there is one. */
  async function recover(error: unknown, pending: Pending, failures: number): Promise<boolean> {
    const refusal = error instanceof ApiError ? error : undefined;
    if (pending.file && refusal && isOfFile(refusal)) {
      outbox.refuse(pending, reasonOf(refusal));
      return true;
    }
    if (!refusal || refusal.isTemporary) {
      const limit = refusal?.limit;
      model.dispatch({ type: "not_delivered", limit });
      const retryAfterMs = limit && refusal?.retryAfterS && refusal.retryAfterS * 1000;
      await wait(retryAfterMs || retryDelay(failures), ...(limit ? [] : [waits.signal]));
      return true;
    }
    if (refusal.code === "conversation_closed") {
      model.dispatch({ type: "status", status: "closed" });
      return false;
    }
    if (!refusal.isRefusal) {
      outbox.refuse(pending);
      return true;
    }
    // After an invalid token, a new conversation is opened. An invalid key is final.
    const hadTicket = model.state.ticket !== undefined;
    leave();
    if (!hadTicket) model.dispatch({ type: "key_refused" });
    return hadTicket;
  }

  return async () => {
    if (isRunning) return;
    isRunning = true;
    let failures = 0;
    try {
      for (let pending = nextPending(); pending && !model.state.isClosed; pending = nextPending()) {
        try {
          await deliver(pending);
          failures = 0;
        } catch (error) {
          if (!await recover(error, pending, failures++)) return;
        }
      }
    } finally {
      isRunning = false;
      onEnd();
    }
  };
}

/** Returns whether a refusal is about the file: it does not keep the messages after it waiting. */
function isOfFile({ status, code }: ApiError): boolean {
  return status !== 401 && status !== 404 && code !== "conversation_closed";
}

/** Returns why the API refused a file. */
function reasonOf({ status }: ApiError): FileRefusal {
  if (status === 413) return "file_too_large";
  return status === 429 ? "file_limit" : "file_refused";
}
