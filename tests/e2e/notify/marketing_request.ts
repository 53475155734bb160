import { addMarketing } from "../../setup/stack/stack.ts";

/** Adds a template of category MARKETING to the company's, and returns the fields of a request for it. */
export async function marketingRequest(company: Parameters<typeof addMarketing>[0]) {
  const { name } = await addMarketing(company);
  return { notification_type: "marketing", name_template: name };
}
