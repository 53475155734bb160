import { companyId } from "../../data/company.ts";
import type { AllSettings } from "../../data/sdk.ts";
import { Copy } from "../../components/copy.tsx";
import { Section } from "../../components/page_head.tsx";
import { words } from "../../i18n/words.ts";

/** The settings that only the operator of the service can change, with the command for each. */
export function CommandLineSection({ settings: { api_access } }: { settings: AllSettings }) {
  const names = words().settings;
  const update = `deno task admin company update ${companyId()}`;
  const commands: [title: string, command: string][] = [
    [names.access(api_access), `${update} --api-access ${api_access ? "off" : "on"}`],
    [names.currency, `${update} --currency EUR`],
    [names.senders, `deno task admin sender create --company ${companyId()} --help`],
    [names.hoursCheck, `deno task admin company hours ${companyId()} --check 34600111222`],
  ];
  return (
    <Section title={names.commandLine}>
      <p class="help">{names.commandLineHelp}</p>
      <ul class="lines below">
        {commands.map(([title, command]) => (
          <li key={title}>
            <span>{title}</span>
            <span class="with-copy">
              <code>{command}</code>
              <Copy text={command} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
