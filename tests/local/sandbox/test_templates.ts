import type { SandboxTemplate, TemplateComponent } from "../../../local/sandbox/options.ts";

function template(name: string, components: TemplateComponent[], more: Partial<SandboxTemplate> = {}) {
  return { name, language: "en_US", category: "UTILITY", status: "APPROVED", components, ...more } as const;
}

const body = (text: string): TemplateComponent => ({ type: "BODY", text });

/** One template for each thing a send can get wrong. */
export const TEST_TEMPLATES: SandboxTemplate[] = [
  template("two_values", [body("Hi {{1}}, your order {{2}} is here.")]),
  template("two_values", [body("Hola {{1}}, tu pedido {{2}} llegó.")], { language: "es" }),
  template("static_text", [{ type: "HEADER", format: "TEXT", text: "News" }, body("Hello."), {
    type: "FOOTER",
    text: "Bye",
  }]),
  template("named_values", [body("Hi {{first_name}}, see you at {{shop}} soon.")], {
    parameter_format: "NAMED",
  }),
  template("titled", [{ type: "HEADER", format: "TEXT", text: "Offer for {{1}}" }, body("Come and see.")]),
  template("picture", [{ type: "HEADER", format: "IMAGE" }, body("Look.")]),
  template("film", [{ type: "HEADER", format: "VIDEO" }, body("Watch.")]),
  template("paper", [{ type: "HEADER", format: "DOCUMENT" }, body("Read.")]),
  template("location", [{ type: "HEADER", format: "LOCATION" }, body("Come.")]),
  template("buttons", [body("Choose."), {
    type: "BUTTONS",
    buttons: [
      { type: "URL", text: "Open", url: "https://shop.example.test/{{1}}" },
      { type: "URL", text: "Home", url: "https://shop.example.test" },
      { type: "QUICK_REPLY", text: "Stop" },
      { type: "COPY_CODE" },
    ],
  }]),
  template("offer", [body("Half price this week."), {
    type: "BUTTONS",
    buttons: [{ type: "QUICK_REPLY", text: "Stop promotions" }, { type: "QUICK_REPLY", text: "More" }],
  }], { category: "MARKETING" }),
  template("code", [body("{{1}} is your code."), {
    type: "BUTTONS",
    buttons: [{ type: "URL", text: "Copy code", url: "https://www.whatsapp.com/otp/code/?code=otp{{1}}" }],
  }], { category: "AUTHENTICATION" }),
  template("paused_one", [body("Hello.")], { status: "PAUSED" }),
  template("disabled_one", [body("Hello.")], { status: "DISABLED" }),
  template("pending_one", [body("Hello.")], { status: "PENDING" }),
  template("rejected_one", [body("Hello.")], { status: "REJECTED", rejected_reason: "SCAM" }),
];
