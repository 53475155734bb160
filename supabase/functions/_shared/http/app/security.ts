const inQuery = (name: string, description: string) =>
  ({ type: "apiKey", in: "query", name, description }) as const;
const inHeader = (name: string, description: string) =>
  ({ type: "apiKey", in: "header", name, description }) as const;
const bearer = (description: string, bearerFormat?: string) =>
  ({ type: "http", scheme: "bearer", description, ...(bearerFormat && { bearerFormat }) }) as const;

/** Every credential that some operation takes, by its name in the API document. */
export const SECURITY_SCHEMES = {
  accessKey: bearer("A company's access key. Keeps it out of URLs, which end up in logs"),
  accessKeyInQuery: inQuery("access_key", "A company's access key"),
  publishableKey: inQuery("access_key", "A publishable key: opens a company's widgets and nothing else"),
  customerId: inQuery("customer_id", "A company's access key, or a publishable one"),
  userToken: bearer("The access token of `POST /auth`", "JWT"),
  visitorToken: bearer("The `visitor_token` of a chat widget's conversation"),
  sessionToken: bearer("The `session_token` of `GET /voice-widget/signed-url`", "JWT"),
  dispatchSecret: bearer("The setting OUTBOUND_DISPATCH_SECRET"),
  whatsappVerifyToken: inQuery("hub.verify_token", "The setting WHATSAPP_VERIFY_TOKEN"),
  whatsappSignature: inHeader(
    "X-Hub-Signature-256",
    "`sha256=` and the HMAC-SHA256 of the body, in hex, with WHATSAPP_APP_SECRET",
  ),
  voiceSignature: inHeader(
    "ElevenLabs-Signature",
    "`t=<unix time>,v0=<hex>`: the HMAC-SHA256 of `<unix time>.<body>` with ELEVENLABS_WEBHOOK_SECRET",
  ),
} as const;

type Scheme = keyof typeof SECURITY_SCHEMES;

/** The ways to call an operation, of which one is enough; each names the credentials that it needs together. */
export type Security = Partial<Record<Scheme, never[]>>[];

/** Of operations without authentication. */
export const OPEN: Security = [];

/** Of operations for a company's systems. */
export const COMPANY_KEY: Security = [{ accessKey: [] }, { accessKeyInQuery: [] }];

/** Of operations for people who log in. */
export const USER: Security = [{ userToken: [] }];

/** Of operations that show a widget, from a web page. */
export const WIDGET_KEY: Security = [{ publishableKey: [] }, { accessKeyInQuery: [] }];

/** Of a conversation's operations: its visitor, or an operator with the company's key. */
export const CONVERSATION: Security = [{ visitorToken: [] }, ...COMPANY_KEY];

/** Of operations for the visitor of a conversation alone. */
export const VISITOR: Security = [{ visitorToken: [] }];

/** Of a voice session's operations. */
export const SESSION: Security = [{ sessionToken: [] }];
