import type { Context } from "hono";
import { unknownObject } from "../accounts.ts";
import { PlatformError } from "../errors/platform_error.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { sampleHandle } from "./sample_handle.ts";
import { UploadStore } from "./upload_store.ts";

const TYPES = ["application/pdf", "image/jpeg", "image/jpg", "image/png", "video/mp4"];
const MOST = 100 * 1024 * 1024;

/** `POST /app/uploads` opens an upload, `POST /upload:…?sig=…` takes the bytes and gives the handle. */
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
  if (!/^\d+$/.test(given) || length < 1 || length > MOST) {
    throw new PlatformError(100, `file_length must be from 1 to ${MOST}`);
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
