import { Argument, type Command } from "commander";
import { snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import { setTemplateStatus, TEMPLATE_STATUSES, type TemplateStatus } from "./actions.ts";

/** `template set-status`. */
export function addTemplateCommands(program: Command, run: Run): void {
  const template = program.command("template").description("correct our copies of message templates");
  template.command("set-status")
    .description(
      "set our copy of a template's state until the platform reports on it again; " +
        "its campaigns are held or released",
    )
    .argument("<template>", "our id, the platform's id, or its name")
    .addArgument(new Argument("<status>", "only approved templates can be sent").choices(TEMPLATE_STATUSES))
    .option("--company <id>", "its company", uuid)
    .option("--language <code>", "its language, as the platform writes it")
    .action((
      named: string,
      status: TemplateStatus,
      { company, language }: { company?: string; language?: string },
    ) =>
      run(async (session) => {
        const changed = await setTemplateStatus(session, {
          template: named,
          companyId: company,
          language,
          status,
        });
        return { json: snakeKeys(changed), text: `Template ${changed.templateId} is ${status}` };
      })
    )
    .addHelpText(
      "after",
      '\nExample:\n  deno task admin template set-status order_ready disabled --company "$COMPANY" --language es',
    );
}
