import { Hono } from "hono";
import { ControlError } from "./control/control_request.ts";
import { registerControlRoutes } from "./control/control_routes.ts";
import { PlatformError } from "./http/platform_error.ts";
import type { SandboxApp } from "./http/sandbox_app.ts";
import { registerMediaRoutes } from "./media/media_routes.ts";
import { postMessages } from "./messages/post_message.ts";
import { registerPageRoutes } from "./page/page_routes.ts";
import type { Platform } from "./platform.ts";
import { registerTemplateRoutes } from "./templates/template_routes.ts";
import { registerUploadRoutes } from "./templates/uploads.ts";
import { registerNumberRoutes } from "./accounts/number_routes.ts";
import { registerLivekitRoutes } from "./livekit.ts";
import { registerSessionRoutes } from "./voice_session/session_routes.ts";
import { registerVoiceControlRoutes } from "./voice/control_routes.ts";
import { createVoiceApp } from "./voice/voice_app.ts";

/** Builds all routes: the page, the controls under /sandbox, and those of the messaging and the voice platform. */
export function createSandboxApp(platform: Platform): SandboxApp {
  const app: SandboxApp = new Hono({ getPath: pathWithoutVersion });
  app.onError((error, c) => {
    if (error instanceof ControlError) return c.json({ error: error.message }, error.status);
    const refusal = error instanceof PlatformError ? error : new PlatformError(131000, String(error));
    const { refused } = platform.counters;
    refused[refusal.code] = (refused[refusal.code] ?? 0) + 1;
    return c.json(refusal.toBody(), refusal.status as 400);
  });
  app.notFound((c) => {
    throw new PlatformError(100, null, { status: 404, message: `Unknown path components: ${c.req.path}` });
  });
  registerPageRoutes(app);
  registerControlRoutes(app, platform);
  app.use(async (_, next) => {
    platform.counters.requests += 1;
    await next();
  });
  registerVoiceControlRoutes(app, platform);
  registerSessionRoutes(app, platform.sessions);
  registerLivekitRoutes(app, platform.sessions.livekit);
  app.route("/v1/convai", createVoiceApp(platform.voice));
  app.post("/:id{\\d+}/messages", (c) => postMessages(platform, c, "messages"));
  app.post("/:id{\\d+}/marketing_messages", (c) => postMessages(platform, c, "marketing_messages"));
  registerMediaRoutes(app, platform);
  registerUploadRoutes(app, platform);
  registerTemplateRoutes(app, platform);
  registerNumberRoutes(app, platform);
  return app;
}

/** The platform's paths may start with a version such as `/v25.0`; all versions are served alike. */
function pathWithoutVersion(request: Request): string {
  return new URL(request.url).pathname.replace(/^\/v\d+\.\d+(?=\/)/, "");
}
