import { demoTemplates } from "../../../../local/sandbox/demo_templates.ts";
import type { SandboxTemplate } from "../../../../local/sandbox/options.ts";

/** The demo's templates with more than texts, media and addresses. */
export const COMPONENT_TEMPLATES: SandboxTemplate[] = demoTemplates.filter(({ name }) =>
  ["store_visit", "monthly_report", "spring_offer", "new_arrivals"].includes(name)
);

const text = (value: string) => ({ type: "text", text: value });
const body = (...values: string[]) => ({ type: "body", parameters: values.map(text) });
const image = (link: string) => ({
  type: "header",
  parameters: [{ type: "image", image: { link } }],
});

/** The components to send for each of them. */
export const COMPONENT_MESSAGES = {
  store_visit: [
    {
      type: "header",
      parameters: [{
        type: "location",
        location: {
          latitude: "40.4168",
          longitude: "-3.7038",
          name: "Example Traders",
          address: "Puerta del Sol 1, Madrid",
        },
      }],
    },
    body("Asha", "Monday at 10:30"),
    {
      type: "button",
      sub_type: "quick_reply",
      index: 0,
      parameters: [{ type: "payload", payload: "COME_A-1001" }],
    },
    {
      type: "button",
      sub_type: "flow",
      index: 1,
      parameters: [{
        type: "action",
        action: { flow_token: "visit-1001", flow_action_data: { name: "Asha" } },
      }],
    },
  ],
  monthly_report: [{ type: "header", parameters: [text("June")] }, body("Asha", "120")],
  spring_offer: [
    image("https://example.com/balcony.jpg"),
    body("Asha"),
    {
      type: "limited_time_offer",
      parameters: [{
        type: "limited_time_offer",
        limited_time_offer: { expiration_time_ms: Date.UTC(2098, 0, 31, 18) },
      }],
    },
    { type: "button", sub_type: "url", index: 1, parameters: [text("asha")] },
    {
      type: "button",
      sub_type: "copy_code",
      index: 0,
      parameters: [{ type: "coupon_code", coupon_code: "SPRING25" }],
    },
  ],
  new_arrivals: [
    body("Asha"),
    {
      type: "carousel",
      cards: ["agave", "aloe", "jade"].map((plant, card_index) => ({
        card_index,
        components: [
          image(`https://example.com/${plant}.jpg`),
          body(["€ 18", "€ 12", "€ 9"][card_index]!),
          { type: "button", sub_type: "url", index: 1, parameters: [text(plant)] },
          {
            type: "button",
            sub_type: "quick_reply",
            index: 0,
            parameters: [{ type: "payload", payload: `MORE_${plant}` }],
          },
        ],
      })),
    },
  ],
} satisfies Record<string, unknown[]>;
