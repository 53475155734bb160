import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { insertWidget, type WidgetFixture } from "../../setup/fixtures/widgets.ts";
import { LIVEKIT, VOICE_KEY, type VoicePlatforms, withVoicePlatforms } from "../voice_platforms.ts";
import { type Api, withApi } from "../with_api.ts";

export interface VoiceWidgetApi extends Api {
  platforms: VoicePlatforms;
  widget: WidgetFixture;
  /** `GET /voice-widget/signed-url` with the company's key. */
  start(query?: Record<string, string>): Promise<TestAnswer<JsonObject>>;
  /** Starts a session; what its requests carry. */
  session(): Promise<{ headers: Record<string, string> }>;
}

/** Calls `fn` with the service, a voice widget and the platforms behind it; `env` takes settings away again. */
export function withVoiceWidget(
  fn: (api: VoiceWidgetApi) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  return withVoicePlatforms((platforms) =>
    withApi(async (api) => {
      const widget = await insertWidget(api.sql, api.company.id, {
        kind: "voice",
        config: { texts: { es: { welcome: "Hola" } } },
      });
      const start = (query = {}) =>
        api.http.get("/voice-widget/signed-url", {
          query: { access_key: api.key.key, id_widget: widget.id, ...query },
        });
      const session = async () => {
        const { body } = await start();
        return { headers: { authorization: `Bearer ${body.session_token}` } };
      };
      await fn({ ...api, platforms, widget, start, session });
      const leaked = api.logs.filter((line) => line.includes(VOICE_KEY) || line.includes(LIVEKIT.secret));
      assert.deepEqual(leaked, []);
    }, { env: { ...platforms.env, ...env } })
  );
}
