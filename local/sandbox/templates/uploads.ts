import type { Context } from "hono";
import { unknownObject } from "../accounts/accounts.ts";
import { PlatformError } from "../http/platform_error.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";

const TYPES = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];
const MAX_BYTES = 100 * 1024 * 1024;

/**
 * Registers `POST /app/uploads`, which opens an upload, and `POST /upload:…?sig=…`, which stores the bytes and returns
 * the handle.
 */
export function registerUploadRoutes(app: SandboxApp, platform: Platform): void {
  const store = new UploadStore();
  app.post("/app/uploads", (c) => c.json({ id: openSession(platform, store, c) }));
  app.post("/:session{upload:[^/]+}", async (c) => c.json({ h: await takeFile(platform, store, c) }));
}

function openSession(platform: Platform, store: UploadStore, c: Context<SandboxEnv>): string {
  const header = c.req.header("Authorization");
  platform.accounts.authorize(header);
  const { file_name: name, file_type: type = "", file_length: given = "" } = c.req.query();
  if (!name) throw new PlatformError(100, "The parameter file_name is required");
  if (!TYPES.includes(type)) throw new PlatformError(100, `file_type must be one of ${TYPES.join(", ")}`);
  const length = Number(given);
  if (!/^\d+$/.test(given) || length < 1 || length > MAX_BYTES) {
    throw new PlatformError(100, `file_length must be from 1 to ${MAX_BYTES}`);
  }
  return store.open({ token: tokenOf(header), type, length });
}

async function takeFile(platform: Platform, store: UploadStore, c: Context<SandboxEnv>): Promise<string> {
  const header = c.req.header("Authorization");
  if (!/^OAuth /.test(header ?? "")) {
    throw new PlatformError(200, null, { status: 401, message: "(#200) Send Authorization: OAuth <token>" });
  }
  platform.accounts.authorize(header!.replace(/^OAuth/, "Bearer"));
  const name = c.req.param("session")!.slice("upload:".length);
  const session = store.find(name);
  if (session === undefined || session.token !== tokenOf(header)) throw unknownObject(name);
  if (c.req.query("sig") !== session.signature) throw new PlatformError(104, "Incorrect signature");
  if (c.req.header("file_offset") !== "0") throw new PlatformError(100, "The header file_offset must be 0");
  const { byteLength } = await c.req.arrayBuffer();
  if (byteLength !== session.length) {
    throw new PlatformError(100, `${session.length} bytes were announced, ${byteLength} came`);
  }
  store.close(name);
  return sampleHandle(session.type);
}

function tokenOf(header: string | undefined): string {
  return header!.split(/\s+/)[1]!;
}

/** An announced upload. */
export interface UploadSession {
  /** The token that opened it; only the same one may continue. */
  token: string;
  type: string;
  length: number;
  /** Follows the id as `?sig=`. */
  signature: string;
}

/** The open upload sessions. They end with the process. */
class UploadStore {
  readonly #open = new Map<string, UploadSession>();

  /** Opens a session and returns its id as the platform writes it, `upload:…?sig=…`. */
  open(session: Omit<UploadSession, "signature">): string {
    const name = btoa(`attachment:${crypto.randomUUID()}`).replaceAll("=", "");
    const signature = `ARZ${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
    this.#open.set(name, { ...session, signature });
    return `upload:${name}?sig=${signature}`;
  }

  find(name: string): UploadSession | undefined {
    return this.#open.get(name);
  }

  close(name: string): void {
    this.#open.delete(name);
  }
}

const OF_FORMAT: Record<string, RegExp> = {
  IMAGE: /^image\/(jpeg|jpg|png)$/,
  VIDEO: /^video\/mp4$/,
  DOCUMENT: /^application\/pdf$/,
};

/** Makes the handle of an uploaded file, in the platform's form; it contains the file's type. */
function sampleHandle(type: string): string {
  return `4::${btoa(type)}:ARZ${crypto.randomUUID().replaceAll("-", "")}:e:1900000000:1:1:AR`;
}

/**
 * Whether a handle fits a header of this format. A URL never fits; a handle with a type fits if the type does. Any
 * other handle fits.
 */
export function fitsFormat(handle: string, format: string): boolean {
  if (/^https?:/i.test(handle)) return false;
  const type = typeOf(handle);
  return type === undefined || (OF_FORMAT[format]?.test(type) ?? false);
}

function typeOf(handle: string): string | undefined {
  try {
    const type = atob(/^\d+::([\w+/=]+):/.exec(handle)?.[1] ?? "");
    return /^(image|video|application)\/\w+$/.test(type) ? type : undefined;
  } catch {
    return undefined;
  }
}
