import type { VoiceOptions } from "./voice/voice_accounts.ts";
import type { SessionOptions } from "./voice_session/voice_sessions.ts";

/** A sending number of a simulated business account. */
export interface SandboxNumber {
  phoneNumberId: string;
  /** Digits only, country code first. */
  displayNumber: string;
  verifiedName: string;
  /** Messages per second before 130429. Default 80; 0 = no limit. */
  ratePerSecond?: number;
}

/** One component of a template, in the shape the platform lists it. */
export interface TemplateComponent {
  type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS" | "LIMITED_TIME_OFFER" | "CAROUSEL";
  format?: "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
  text?: string;
  example?: Record<string, unknown>;
  buttons?: TemplateButton[];
  limited_time_offer?: { text: string; has_expiration?: boolean };
  cards?: TemplateCard[];
}

/** One card of a carousel. */
export interface TemplateCard {
  components: TemplateComponent[];
}

/** One button of a template; the platform names the kind in upper case. */
export interface TemplateButton {
  type: "URL" | "QUICK_REPLY" | "PHONE_NUMBER" | "COPY_CODE" | "FLOW";
  text?: string;
  url?: string;
  phone_number?: string;
  example?: string | string[];
  flow_id?: string;
  flow_action?: "navigate" | "data_exchange";
  navigate_screen?: string;
}

export type TemplateCategory = "MARKETING" | "UTILITY" | "AUTHENTICATION";

/** A template as the platform keeps it. Without an `id`, account, name and language make one. */
export interface SandboxTemplate {
  id?: string;
  name: string;
  language: string;
  category: TemplateCategory;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED` or any other the platform has. */
  status: string;
  parameter_format?: "POSITIONAL" | "NAMED";
  components: TemplateComponent[];
  rejected_reason?: string;
  message_send_ttl_seconds?: number;
  /**
   * Unix milliseconds: the end of a PENDING template's review. Absent = manual review. Not shown by the platform's
   * routes.
   */
  review_at?: number;
}

/** A simulated business account (WABA): its token, its numbers and its templates. */
export interface SandboxAccount {
  wabaId: string;
  token: string;
  numbers: SandboxNumber[];
  templates: SandboxTemplate[];
}

export interface SandboxOptions {
  /** 0 takes a free port. Only this machine can reach it. */
  port: number;
  /** Accepted host names besides those of this machine. */
  hosts?: string[];
  /** The folder of the journal. Absent = nothing outlives the process. */
  directory?: string;
  /** The webhook address. `null` = none until `PUT /sandbox/settings` names one. */
  webhookUrl: string | null;
  /** Signs the webhooks. */
  appSecret: string;
  /** From submitting a template to its review, until `PUT /sandbox/settings` changes it. `null` (default) = manual. */
  reviewMs?: number | null;
  /** Seeds the random choice of faults. Default 1. */
  seed?: number;
  accounts: SandboxAccount[];
  /** The voice platform. Absent = it has no accounts until `POST /sandbox/voice/accounts`. */
  voice?: VoiceOptions;
  /** Voice sessions in a browser. Absent = only with accounts of the voice platform. */
  voiceSessions?: SessionOptions;
}

export interface Sandbox {
  /** Base address without a version segment. */
  url: string;
  close(): Promise<void>;
}
