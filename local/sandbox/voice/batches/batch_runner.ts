import { Scheduler } from "../../scheduler.ts";
import { acceptCall } from "../calls/accept_call.ts";
import { concurrencyOf } from "../calls/call_slots.ts";
import type { VoicePlatform } from "../voice_platform.ts";
import type { Batch, Batches, BatchRecipient } from "./batch.ts";

/** The interval at which a batch looks for a free slot. */
const POLL_MS = 50;

/** Makes the calls of due batches, up to the concurrency of the account and the batch. */
export class BatchRunner implements Batches {
  readonly batches = new Map<string, Batch>();
  readonly #scheduler = new Scheduler<Batch>((due) => due.forEach((batch) => this.#dispatch(batch)));

  constructor(private readonly voice: () => VoicePlatform) {}

  start(batch: Batch): void {
    this.batches.set(batch.id, batch);
    this.#scheduler.add(batch.scheduledAt, batch);
  }

  cancel(batch: Batch): void {
    batch.cancelled = true;
    batch.updatedAt = Date.now();
    for (const recipient of pendingOf(batch)) setStatus(recipient, "cancelled");
  }

  close(): void {
    this.#scheduler.close();
  }

  #dispatch(batch: Batch): void {
    for (const recipient of pendingOf(batch)) {
      if (!this.#hasFreeSlot(batch)) return this.#scheduler.add(Date.now() + POLL_MS, batch);
      this.#call(batch, recipient);
    }
  }

  #hasFreeSlot(batch: Batch): boolean {
    const voice = this.voice();
    const ownCalls =
      batch.recipients.filter(({ call }) => call !== null && call.call.status !== "ended").length;
    return voice.slots.of(batch.account.id).active < concurrencyOf(voice, batch.account) &&
      ownCalls < (batch.body.target_concurrency_limit ?? Infinity);
  }

  #call(batch: Batch, recipient: BatchRecipient): void {
    const { account, agent, number, body } = batch;
    recipient.call = acceptCall(this.voice(), {
      account,
      agent,
      number,
      to: recipient.to,
      fault: {},
      batch: { batch_call_id: batch.id, batch_call_recipient_id: recipient.id },
      body: {
        agent_id: agent.agentId,
        agent_phone_number_id: number.phoneNumberId,
        to_number: `+${recipient.to}`,
        conversation_initiation_client_data: recipient.body.conversation_initiation_client_data,
        telephony_call_config: body.telephony_call_config,
      },
    });
    setStatus(recipient, "dispatched");
    batch.updatedAt = Date.now();
  }
}

function pendingOf({ recipients }: Batch): BatchRecipient[] {
  return recipients.filter(({ status }) => status === "pending");
}

function setStatus(recipient: BatchRecipient, status: BatchRecipient["status"]): void {
  recipient.status = status;
  recipient.updatedAt = Date.now();
}
