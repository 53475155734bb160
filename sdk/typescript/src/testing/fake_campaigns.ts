import type { Routes } from "../generated/routes.gen.ts";
import type { BulkAccepted, CampaignStatus, Channel } from "../generated/types.gen.ts";
import { refusalOf } from "./fake_refusal.ts";
import type { FakeRequest } from "./fake_request.ts";

type Accepting = "POST /notify" | "POST /notify/voice";
type Accepted = Routes[Accepting]["response"];

/** The parts of a notification or call that count here. */
interface Body {
  campaign_name?: string;
  notification_type?: string;
  contact?: Contact;
  contacts?: Contact[];
}

interface Contact {
  number?: unknown;
  user_id?: unknown;
}

const NO_NUMBER = "contact.number: expected 7 to 15 digits without a leading 0";

/** The campaigns of a fake service. Each is completed as soon as it is accepted. */
export class FakeCampaigns {
  readonly #campaigns = new Map<string, CampaignStatus>();
  readonly #responses = new Map<string, Accepted>();
  #count = 0;

  /** Accepts a request. The same `Idempotency-Key` gets the first response again. */
  accept({ query, headers, body }: FakeRequest<Accepting>, channel: Channel): never {
    if (query.dry_run === "true") {
      throw refusalOf("validation_failed", {
        message: "The fake service has no dry run: give it one with on()",
      });
    }
    const key = headers.get("Idempotency-Key")!;
    const response = this.#responses.get(key) ?? this.#accept(query, body as Body, channel);
    this.#responses.set(key, response);
    return response as never;
  }

  /** Returns the status of a campaign. */
  read(campaignId: string): CampaignStatus {
    const campaign = this.#campaigns.get(campaignId);
    if (!campaign) throw refusalOf("not_found", { message: "Campaign not found" });
    return campaign;
  }

  #accept(query: Record<string, string>, body: Body, channel: Channel): Accepted {
    const { contact, contacts = [contact ?? {}] } = body;
    const results = contacts.map((each) => ({
      contact: each,
      id: isReachable(each) ? this.#nextId() : null,
    }));
    const accepted = results.filter(({ id }) => id !== null).length;
    if (contact && accepted === 0) {
      const details = { field: "contact.number" };
      throw refusalOf("validation_failed", { message: NO_NUMBER, details });
    }
    const campaign = query.campaign_id ? this.read(query.campaign_id) : this.#begin(body, channel);
    campaign.total += accepted;
    campaign.sent += accepted;
    campaign.rejected += contacts.length - accepted;
    const inquiry_set_id = campaign.campaign_id;
    if (!contact) return bulkOf(inquiry_set_id, results, query.details === "true");
    if (channel === "whatsapp") return { success: true, message: "Notification queued", inquiry_set_id };
    const call = { notification_id: results[0]!.id!, scheduled_time: new Date().toISOString() };
    return { success: true, message: "Call queued", inquiry_set_id, ...call };
  }

  #begin({ campaign_name = "", notification_type = "" }: Body, channel: Channel): CampaignStatus {
    const at = new Date().toISOString();
    const none = {
      pending: 0,
      processing: 0,
      delivered: 0,
      read: 0,
      failed: 0,
      cancelled: 0,
      skipped: 0,
      replied: 0,
    };
    const campaign: CampaignStatus = {
      success: true,
      campaign_id: this.#nextId(),
      campaign_name,
      channel,
      notification_type,
      status: "completed",
      total: 0,
      sent: 0,
      rejected: 0,
      ...none,
      created_at: at,
      scheduled_time: null,
      started_at: at,
      completed_at: at,
    };
    this.#campaigns.set(campaign.campaign_id, campaign);
    return campaign;
  }

  /** The same ids in every run. */
  #nextId(): string {
    return `00000000-0000-7000-8000-${String(++this.#count).padStart(12, "0")}`;
  }
}

function isReachable({ number, user_id }: Contact): boolean {
  return number ? /^[1-9]\d{6,14}$/.test(String(number)) : typeof user_id === "string";
}

function bulkOf(
  inquiry_set_id: string,
  results: { contact: Contact; id: string | null }[],
  hasDetails: boolean,
): BulkAccepted {
  const errors = results.map(({ contact, id }, index) => ({ contact, id, index })).filter(({ id }) =>
    id === null
  );
  return {
    success: true,
    message: "Processing completed",
    total: results.length,
    processed: results.length - errors.length,
    failed: errors.length,
    errors: errors.map(({ contact, index }) => ({
      contact,
      reason: NO_NUMBER,
      ...(hasDetails && { index, field: "contact.number", code: "validation_failed" as const }),
    })),
    inquiry_set_id,
    ...(hasDetails && { notification_ids: results.map(({ id }) => id) }),
  };
}
