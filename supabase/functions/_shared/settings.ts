import { z } from "zod";
import { cellUrls } from "./cells.ts";
import { secretsKeyProblem } from "./crypto/secrets_keys.ts";
import { tlsProblem } from "./database_tls.ts";
import { withoutEndSlashes } from "./values/urls.ts";

/** The text that `deno task settings:write` writes about a setting. */
export interface SettingNote {
  /** For docs/settings.md, in Markdown; the line above it in .env.example says the same without links. */
  about: string;
  /** The default in docs/settings.md, in Markdown. @default the schema's */
  fallback?: string;
  /** The value in .env.example. @default the schema's default */
  example?: string;
}

/** The note of every setting, by its schema. */
export const SETTING_NOTES = z.registry<SettingNote>();

function setting<Schema extends z.ZodType>(
  schema: Schema,
  about: string,
  others: Omit<SettingNote, "about"> = {},
): Schema {
  SETTING_NOTES.add(schema, { about, ...others });
  return schema;
}

/** Timers run at once instead of later when they are set beyond 2^31 ms. */
const MAX_TIMER_S = 86_400;
const MAX_TTL_S = 366 * 86_400;
const MAX_RUN_MESSAGES = 1_000_000;

const MAX_MEDIA_MB = 100_000_000;

const seconds = (fallback: number, most = MAX_TIMER_S) =>
  z.coerce.number().int().positive().max(most).default(fallback);

const httpUrl = z.url({ protocol: /^https?$/ }).transform(withoutEndSlashes);

/** Checked here, because the errors of what reads it later quote it, password included. */
const databaseUrl = z.url({ protocol: /^postgres(ql)?$/ }).refine(isDecodable).superRefine((url, context) => {
  const message = tlsProblem(url);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

const secretsKey = z.string().superRefine((setting, context) => {
  const message = secretsKeyProblem(setting);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

/** Every setting, by the part of .env.example that it is in. `serve` needs what is in `needed`; `local` is read by `start` alone. */
export const SECTIONS = {
  needed: {
    DATABASE_URL: setting(databaseUrl, "Postgres 15 or newer", {
      fallback: "the embedded database",
      example: "postgres://outbound_service:password@db.example.com/outbound",
    }),
    OUTBOUND_SECRETS_KEY: setting(
      secretsKey,
      "32 or more random characters, the same in every process, in no backup; seals keys and tokens (`openssl rand -base64 48`); several are separated by commas ([how to change it](operations.md#change-outbound_secrets_key))",
      { fallback: "made at first start" },
    ),
    OUTBOUND_PUBLIC_URL: setting(
      httpUrl.optional(),
      "the public address of this service; dispatchers probe the webhook there before they resend",
      {
        fallback: "with `start` localhost; on Supabase the project's URL",
        example: "https://api.example.com",
      },
    ),
    SUPABASE_URL: setting(httpUrl.optional(), "the address of Supabase Auth", {
      fallback: "the local login server",
      example: "https://ref.supabase.co",
    }),
    SUPABASE_PUBLISHABLE_KEY: setting(
      z.string().min(1).optional(),
      "the publishable (anon) key of Supabase Auth",
    ),
    WHATSAPP_APP_SECRET: setting(
      z.string().min(1).optional(),
      "the secret of the app at the messaging platform; signs its events and the dispatchers' probes of the webhook; the same in every process",
    ),
    WHATSAPP_VERIFY_TOKEN: setting(
      z.string().min(1).optional(),
      "the word of the webhook's handshake, your own choice",
    ),
  },
  optional: {
    DATABASE_URLS: setting(
      cellUrls(databaseUrl).default(new Map()),
      "the databases of further cells, by number, with white space between them: `1=postgres://… 2=postgres://…`; DATABASE_URL is cell 0 ([what cells are for](larger_deployment.md#cells))",
      { fallback: "one database", example: "" },
    ),
    SUPABASE_SECRET_KEY: setting(
      z.string().min(1).optional(),
      "the secret key of Supabase Auth, for operator commands and for names and e-mails of members; one of the form `sb_secret_…` also names the visitor's address at log-in",
    ),
    ELEVENLABS_API_KEY: setting(
      z.string().min(1).optional(),
      "the key of the voice platform, for voice widgets and for voice senders without a key of their own",
    ),
    ELEVENLABS_WEBHOOK_SECRET: setting(
      z.string().min(1).optional(),
      "signs the voice platform's events; several are separated by commas",
    ),
    LIVEKIT_URL: setting(
      z.url({ protocol: /^(wss?|https?)$/ }).optional(),
      "the LiveKit server for handoffs to a person (`wss://…`)",
    ),
    LIVEKIT_API_KEY: setting(
      z.string().min(1).optional(),
      "its key; without these three there are no handoffs",
    ),
    LIVEKIT_API_SECRET: setting(z.string().min(1).optional(), "its secret"),
    OUTBOUND_S3_URL: setting(
      httpUrl.optional(),
      "the bucket of object storage for [media](media.md), with the bucket's name as the last part of its path; without it, and without a folder, nothing can be uploaded",
      { example: "https://ref.storage.supabase.co/storage/v1/s3/media" },
    ),
    OUTBOUND_S3_REGION: setting(z.string().min(1).default("us-east-1"), "its region"),
    OUTBOUND_S3_ACCESS_KEY_ID: setting(z.string().min(1).optional(), "the id of its access key"),
    OUTBOUND_S3_SECRET_ACCESS_KEY: setting(z.string().min(1).optional(), "the secret of its access key"),
    OUTBOUND_MEDIA_FOLDER: setting(
      z.string().min(1).optional(),
      "instead of a bucket, a folder that all processes of one machine share; `serve` and `dispatch` may write below `/var/lib/outbound/media`",
      { fallback: "none; with `start` `media` in `OUTBOUND_HOME`", example: "/var/lib/outbound/media" },
    ),
    OUTBOUND_VAPID_PUBLIC_KEY: setting(
      z.string().regex(/^B[\w-]{86}$/, "a public key of P-256 in base64url").optional(),
      "the key by which push services know this installation, for [notifications on members' devices](console.md#notifications); the same in every process (`deno task admin vapid create`); without it there are none",
      { fallback: "none; with `start` made at first start" },
    ),
    OUTBOUND_VAPID_PRIVATE_KEY: setting(
      z.string().regex(/^[\w-]{43}$/, "a private key of P-256 in base64url").optional(),
      "its private key",
      { fallback: "none; with `start` made at first start" },
    ),
    OUTBOUND_MEDIA_MAX_MB: setting(
      z.coerce.number().int().positive().max(MAX_MEDIA_MB).default(10_240),
      "how many megabytes of media each company may have; the same in every process ([media.md](media.md#how-much-a-company-may-store))",
    ),
    OUTBOUND_SCAN_URL: setting(
      httpUrl.optional(),
      "a virus scanner: each file is sent to it before it is taken ([media.md](media.md#a-virus-scanner)); without it none is scanned",
      { example: "http://127.0.0.1:8080/scan" },
    ),
  },
  addresses: {
    OUTBOUND_WIDGET_URL: setting(
      httpUrl.optional(),
      "the address of the widget host ([widgets.md](widgets.md)); without it `GET /widgetWebView` has no chat to show",
      { example: "https://widgets.example.com" },
    ),
    OUTBOUND_CONSOLE_URL: setting(
      httpUrl.optional(),
      "the address of the [console](console.md); its pages, and no others, may call `manage`, `auth`, `api_keys` and `mcp`",
    ),
    OUTBOUND_TRUSTED_PROXIES: setting(
      z.coerce.number().int().min(0).max(10).default(0),
      "the number of proxies in front that add to `X-Forwarded-For`; limits per address depend on it",
      { example: "1" },
    ),
    HOST: setting(
      z.string().min(1).default("0.0.0.0"),
      "the address on which `serve` listens: `127.0.0.1` behind a proxy on the same machine; `::` for IPv6 and IPv4; in a container leave it",
    ),
    PORT: setting(
      z.coerce.number().int().min(0).max(65535).default(54321),
      "the API's port; database, console, sandbox, widgets, login and metrics follow at +1 to +6; 0 takes free ones",
    ),
  },
  defaults: {
    OUTBOUND_DISPATCH_SECRET: setting(
      z.string().min(16).optional(),
      "16 or more characters; lets a scheduler call `POST /dispatch`",
    ),
    WHATSAPP_API_URL: setting(httpUrl.default("https://graph.facebook.com"), "the messaging platform", {
      fallback: "the sandbox; in production Meta's host",
    }),
    WHATSAPP_API_VERSION: setting(
      z.string().regex(/^v\d+\.\d+$/).default("v25.0"),
      "the API version of the messaging platform",
    ),
    ELEVENLABS_API_URL: setting(httpUrl.default("https://api.elevenlabs.io"), "the voice platform", {
      fallback: "the sandbox; in production ElevenLabs' host",
    }),
    OUTBOUND_LOG_LEVEL: setting(
      z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
      "`debug`, `info`, `warn`, `error`, `silent`; one JSON object per line",
    ),
    OUTBOUND_METRICS_PORT: setting(
      z.coerce.number().int().min(0).max(65535).optional(),
      "where `GET /metrics` is, such as `9464` ([operations.md](operations.md#metrics)); workers of one `dispatch` take the ports that follow",
      { fallback: "none; with `start` `PORT` + 6" },
    ),
    OUTBOUND_METRICS_TOKEN: setting(
      z.string().regex(/^[\w.~+/-]{16,}=*$/, "16 or more characters of a bearer token").optional(),
      "16 or more characters; the metrics are then on `HOST`, for clients that send it as a bearer token; without it only this machine can read them",
    ),
    OTEL_SDK_DISABLED: setting(
      z.stringbool().default(false),
      "`true` exports no traces, whatever endpoint is set",
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: setting(
      httpUrl.optional(),
      "a backend for traces, such as `http://127.0.0.1:4318`; without it there are none ([operations.md](operations.md#traces))",
    ),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting(
      httpUrl.optional(),
      "the same as a whole URL, which is used as it is",
    ),
    OTEL_EXPORTER_OTLP_HEADERS: setting(
      z.string().optional(),
      "headers for it, such as `authorization=Bearer%20…`, separated by commas",
    ),
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: setting(
      z.string().optional(),
      "the same, instead of the headers above",
    ),
    OTEL_EXPORTER_OTLP_TIMEOUT: setting(
      z.coerce.number().int().positive().max(MAX_TIMER_S * 1000).default(10_000),
      "the longest time that one export may take, in milliseconds",
    ),
    OTEL_SERVICE_NAME: setting(z.string().min(1).optional(), "the name of the service in traces", {
      fallback: "`outbound`",
      example: "outbound",
    }),
    OTEL_RESOURCE_ATTRIBUTES: setting(
      z.string().optional(),
      "further attributes of the process, such as `deployment.environment=production`, separated by commas",
    ),
    OTEL_TRACES_SAMPLER: setting(
      z.enum(SAMPLERS).default("parentbased_traceidratio"),
      "`always_on`, `always_off`, `traceidratio`, or one of them after `parentbased_`",
    ),
    OTEL_TRACES_SAMPLER_ARG: setting(
      z.coerce.number().min(0).max(1).default(1),
      "the share of traces that the ratio exports, from 0 to 1",
    ),
    OUTBOUND_DISPATCH_RUN_MESSAGES: setting(
      z.coerce.number().int().positive().max(MAX_RUN_MESSAGES).default(300),
      "how many messages one run of `POST /dispatch` sends at most ([operations.md](operations.md#the-limits-of-a-run))",
    ),
    OUTBOUND_DISPATCH_LEASE_S: setting(
      seconds(60),
      "how long a claim lasts, unless the dispatcher renews it",
    ),
    OUTBOUND_UNCONFIRMED_WINDOW_S: setting(
      seconds(120),
      "how long a message with unknown outcome waits for the platform's event",
    ),
    OUTBOUND_TEST_DAILY_QUOTA: setting(
      z.coerce.number().int().min(0).max(1_000_000_000).default(20_000),
      "how many notifications the test keys of a new [test company](sandbox.md#test-keys-on-the-production-api) together may queue per day (UTC)",
    ),
    OUTBOUND_NOTIFICATION_TTL_S: setting(
      seconds(86_400, MAX_TTL_S),
      "after this time a notification expires instead of being sent",
    ),
    OUTBOUND_SEND_TIMEOUT_S: setting(
      z.coerce.number().int().positive().max(MAX_TIMER_S).optional(),
      "the platform's time to respond; 1.05 of it must be less than half the lease plus the window",
      { fallback: "`20`, or less with a short lease and window", example: "20" },
    ),
    OUTBOUND_CALL_CHECK_AFTER_S: setting(
      seconds(120),
      "the dispatcher polls the platform about a call after this time without an event",
    ),
    OUTBOUND_CALL_FAIL_AFTER_S: setting(seconds(14_400), "after this time a call without a known end fails"),
    HTTPS_PROXY: setting(z.string().optional(), "a proxy for requests to `https` addresses"),
    HTTP_PROXY: setting(z.string().optional(), "the same for `http` addresses"),
    ALL_PROXY: setting(z.string().optional(), "the same for both"),
    OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: setting(
      z.stringbool().default(false),
      "lets companies' webhooks and files be on this machine, in private networks, and without TLS; never where strangers are companies",
      { fallback: "`false`; `true` on the embedded database" },
    ),
  },
  local: {
    OUTBOUND_LOCAL_HOSTS: setting(
      z.string().default(""),
      "names that the stand-ins of `start` respond to besides localhost, separated by commas (`host.docker.internal`)",
    ),
    OUTBOUND_HOME: setting(
      z.string().min(1).default(".outbound"),
      "data and generated secrets of the embedded stack",
    ),
  },
};

/** The settings that `serve` needs in production. */
export const NEEDED_SETTINGS = Object.keys(SECTIONS.needed);

/** The schema of all settings. */
export const settingsSchema = z.object({
  ...SECTIONS.needed,
  ...SECTIONS.optional,
  ...SECTIONS.addresses,
  ...SECTIONS.defaults,
  ...SECTIONS.local,
});

/** The names of all settings. */
export const SETTINGS: readonly string[] = Object.keys(settingsSchema.shape);

function isDecodable(url: string): boolean {
  try {
    return decodeURIComponent(url) !== "";
  } catch {
    return false;
  }
}
