import { cellOfCompany, HOME_CELL } from "../../../supabase/functions/_shared/cells.ts";
import { companyId, link } from "../../data/company.ts";
import type { AllSettings } from "../../data/sdk.ts";
import { Section } from "../../components/page_head.tsx";
import { words } from "../../i18n/words.ts";

/** Says what only the operator of the service can change. */
export function OperatorFacts({ settings: { api_access } }: { settings: AllSettings }) {
  const names = words().settings;
  const cell = cellOfCompany(companyId());
  return (
    <Section title={names.byOperator}>
      <p class="help">{names.byOperatorHelp}</p>
      <ul class="lines below">
        <li>
          <span>{names.access(api_access)}</span>
        </li>
        <li>
          <span>{names.currency}</span>
        </li>
        <li>
          <span>{names.newSender}</span>
          <a href={link(["senders"])}>{words().screens.senders}</a>
        </li>
        {cell !== HOME_CELL && (
          <li>
            <span>{names.cell(cell)}</span>
          </li>
        )}
      </ul>
    </Section>
  );
}
