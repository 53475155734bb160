import { Outbound, type OutboundOptions } from "../../sdk/typescript/src/mod.ts";
import { type Environment, withEnvironment } from "../e2e/with_environment.ts";
import {
  type CompanyFixture,
  insertCompany,
  insertKey,
  insertMember,
  insertSender,
  insertTemplate,
  type KeyFixture,
  ORDER_COMPONENTS,
  type SenderFixture,
  type TemplateFixture,
} from "../setup/fixtures/fixtures.ts";
import { BASE_PATH } from "../setup/http/http.ts";
import type { TestUser } from "../setup/stack/login.ts";
import type { TestServicesOptions } from "../setup/stack/services.ts";

/** The running service, a company that may send with an owner who can log in, and clients for both. */
export interface Clients extends Environment {
  company: CompanyFixture;
  key: KeyFixture;
  sender: SenderFixture;
  template: TemplateFixture;
  owner: TestUser;
  baseUrl: string;
  /** A client with the company's access key. */
  keyClient(options?: Partial<OutboundOptions>): Outbound;
  /** A client with the owner's token. */
  ownerClient(options?: Partial<OutboundOptions>): Promise<Outbound>;
  /** A notification of the template, without contacts. */
  notification: {
    name_template: string;
    language_template: string;
    recipient_id: string;
    notification_type: "utility";
    campaign_name: string;
    components_push: { body_text_0: string; body_text_1: string };
  };
}

/** Calls `fn` with such clients; afterwards the log may hold neither the key nor the sender's token. */
export async function withClients(
  fn: (t: Clients) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withEnvironment(async (environment) => {
    const { sql, sandbox, url, keepSecret } = environment;
    const company = await insertCompany(sql);
    const key = await insertKey(sql, company.id);
    const sender = await insertSender(sql, company.id, { rate_per_second: 1000 });
    const template = await insertTemplate(sql, sender, { name: "order_update", language: "en_US" });
    const { name, language } = template;
    await sandbox.addAccount(sender, [
      { name, language, category: "UTILITY", status: "APPROVED", components: ORDER_COMPONENTS },
    ]);
    const owner = await environment.createUser();
    await insertMember(sql, company.id, owner.id, "owner");
    keepSecret(key.key, sender.token, owner.password);
    const baseUrl = `${url}${BASE_PATH}`;
    await fn({
      ...environment,
      company,
      key,
      sender,
      template,
      owner,
      baseUrl,
      keyClient: (more = {}) => new Outbound({ baseUrl, accessKey: key.key, ...more }),
      ownerClient: async (more = {}) =>
        new Outbound({ baseUrl, token: await environment.logIn(owner), companyId: company.id, ...more }),
      notification: {
        name_template: name,
        language_template: language,
        recipient_id: sender.number,
        notification_type: "utility",
        campaign_name: "Order",
        components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
      },
    });
  }, options);
}

/** As many contacts as asked for, each with a number of its own that the sandbox delivers to. */
export function contacts(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    number: `34600${String(index).padStart(5, "0")}9`,
    name: `Ana ${index}`,
  }));
}
