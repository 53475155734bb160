import type { VoiceOptions } from "./voice/options.ts";
import type { SessionOptions } from "./voice_session/options.ts";

/** A sending number of a simulated business account. */
export interface SandboxNumber {
  phoneNumberId: string;
  /** Digits only, country code first. */
  displayNumber: string;
  verifiedName: string;
  /** Messages a second before 130429. Default 80; 0 = no limit. */
  ratePerSecond?: number;
}

/** One component of a template, in the shape the platform lists it. */
export interface TemplateComponent {
  type: "HEADER" | "BODY" | "FOOTER" | "BUTTONS";
  format?: "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
  text?: string;
  example?: Record<string, unknown>;
  buttons?: TemplateButton[];
}

/** One button of a template; the platform names the kind in upper case. */
export interface TemplateButton {
  type: "URL" | "QUICK_REPLY" | "PHONE_NUMBER" | "COPY_CODE";
  text?: string;
  url?: string;
  phone_number?: string;
  example?: string | string[];
}

export type TemplateCategory = "MARKETING" | "UTILITY" | "AUTHENTICATION";

/** A template as the platform keeps it. `id` is made from account, name and language when left out. */
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
  /** Unix milliseconds: when a PENDING one is judged. Absent = when somebody does. Not shown by the platform's routes. */
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
  /** Names it may be called by besides those of this machine. */
  hosts?: string[];
  /** Where the journal lives. Absent = nothing outlives the process. */
  directory?: string;
  /** Where webhooks go. `null` = nowhere until `PUT /sandbox/settings` names a place. */
  webhookUrl: string | null;
  /** Signs the webhooks. */
  appSecret: string;
  /** From submitting a template to its review, until `PUT /sandbox/settings` says otherwise. `null` (default) = by hand. */
  reviewMs?: number | null;
  /** Seeds the dice of the faults. Default 1. */
  seed?: number;
  accounts: SandboxAccount[];
  /** The voice platform. Absent = it is there, without accounts until `POST /sandbox/voice/accounts`. */
  voice?: VoiceOptions;
  /** Talking to voice agents from a browser. Absent = nobody can. */
  voiceSessions?: SessionOptions;
}

export interface Sandbox {
  /** Base address without a version segment. */
  url: string;
  close(): Promise<void>;
}
