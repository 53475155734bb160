import assert from "node:assert/strict";
import {
  chatConfigSchema,
  voiceConfigSchema,
} from "../../../supabase/functions/_shared/widgets/widget_config.ts";

const BAD_CHAT: Record<string, unknown>[] = [
  { colors: { primary: "red" } },
  { colors: { primary: "#fff" } },
  { colors: { primary: "#ffffff;} body{display:none" } },
  { colors: { border: "#ffffff" } },
  { position: { placement: "middle" } },
  { position: { offset_x: -1 } },
  { position: { size: 1000 } },
  { position: { offset_y: "20px" } },
  { default_language: "english language" },
  { texts: { "": { welcome: "x" } } },
  { texts: { __proto_: { welcome: "x" } } },
  { texts: { en: { welcome: 5 } } },
  { texts: { en: { welcome: "x".repeat(1001) } } },
  { texts: { en: { nothing_we_know: "x" } } },
  { features: { typing: "yes" } },
  { agent_id: "agent_1" },
  { html: "<b>" },
  { appearance: "night" },
  { dark_colors: { primary: "#000" } },
  { dark_colors: { border: "#000000" } },
  { launcher: { icon: "none_of_ours" } },
  { launcher: { path: "url(https://x.example)" } },
  { launcher: { path: "M0 0" + " L1 1".repeat(500) } },
  { logo: "https://shop.example/logo.png" },
  { logo: "data:image/svg+xml;base64,PHN2Zy8+" },
  { logo: "data:image/png;base64,<script>" },
  { logo: `data:image/png;base64,${"A".repeat(16_000)}` },
  { proactive: [{ texts: {} }] },
  { proactive: [{ texts: { en: " " } }] },
  { proactive: [{ texts: { en: "x".repeat(301) } }] },
  { proactive: [{ texts: { en: "two\nlines" } }] },
  { proactive: [{ texts: { en: "x" }, path: "pricing" }] },
  { proactive: [{ texts: { en: "x" }, path: "/a?b=1" }] },
  { proactive: [{ texts: { en: "x" }, path: "/*a*a*a*a*a*a" }] },
  { proactive: [{ texts: { en: "x" }, delay_s: -1 }] },
  { proactive: [{ texts: { en: "x" }, delay_s: 3601 }] },
  { proactive: Array.from({ length: 11 }, () => ({ texts: { en: "x" } })) },
  { features: { sound: "loud" } },
];

Deno.test("the configuration of a chat widget takes nothing it does not know, and no odd values", () => {
  for (const config of BAD_CHAT) {
    assert.equal(chatConfigSchema.safeParse(config).success, false, JSON.stringify(config).slice(0, 80));
  }
  assert.equal(chatConfigSchema.safeParse(null).success, false);
});

Deno.test("the configuration of a voice widget needs an agent", () => {
  for (const agent_id of [undefined, "", "a b", "x".repeat(101), "../agents"]) {
    assert.equal(voiceConfigSchema.safeParse({ agent_id }).success, false, String(agent_id));
  }
  const bad = [{ animation: { speed: 0 } }, { animation: { type: "fire" } }, { connection: "sip" }];
  for (const more of bad) {
    assert.equal(voiceConfigSchema.safeParse({ agent_id: "agent_1", ...more }).success, false);
  }
  assert.equal(voiceConfigSchema.parse({ agent_id: "agent_1" }).connection, "websocket");
});
