import process from "node:process";
import { Outbound } from "@outbound/sdk";

const outbound = new Outbound();
const { inquiry_set_id } = await outbound.notifications.send({
  contact: { number: "34600111222", name: "Ana" },
  name_template: "order_update",
  language_template: "en_US",
  recipient_id: process.env.SENDER,
  notification_type: "utility",
  campaign_name: "From TypeScript",
  components_push: { body_text_0: "{{name}}", body_text_1: "A-1001" },
});
console.log(await outbound.waitForCampaign(inquiry_set_id));
