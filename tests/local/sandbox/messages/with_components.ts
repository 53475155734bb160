import { startSandbox } from "../../../../local/sandbox/start.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { COMPONENT_MESSAGES, COMPONENT_TEMPLATES } from "./component_messages.ts";
import { type Answer, APP_SECRET, caller, NUMBER_ID, TOKEN, WABA_ID } from "../with_platform.ts";

export interface ComponentsPlatform extends ReturnType<typeof caller> {
  url: string;
  /** Sends one of the templates, with parts of the body replaced. */
  sendTemplate(name: string, changes?: JsonObject, edge?: string): Promise<Answer>;
}

/** Calls `fn` with a sandbox whose account has the templates of `COMPONENT_TEMPLATES`. */
export async function withComponents(fn: (platform: ComponentsPlatform) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret: APP_SECRET,
    accounts: [{
      wabaId: WABA_ID,
      token: TOKEN,
      numbers: [{
        phoneNumberId: NUMBER_ID,
        displayNumber: "15550001111",
        verifiedName: "Example Traders",
        ratePerSecond: 0,
      }],
      templates: structuredClone(COMPONENT_TEMPLATES),
    }],
  });
  const platform = caller(sandbox.url);
  try {
    await fn({ ...platform, url: sandbox.url, sendTemplate });
  } finally {
    await sandbox.close();
  }

  function sendTemplate(name: string, changes: JsonObject = {}, edge = "messages"): Promise<Answer> {
    const components = COMPONENT_MESSAGES[name as keyof typeof COMPONENT_MESSAGES];
    const body = {
      messaging_product: "whatsapp",
      to: "+573001112233",
      type: "template",
      template: { name, language: { code: "en_US" }, components },
      ...changes,
    };
    return platform.call("POST", `/v25.0/${NUMBER_ID}/${edge}`, { body });
  }
}
