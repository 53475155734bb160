import { company, link } from "../../data/company.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { BudgetSection } from "./budget.tsx";
import { ContactRulesSection } from "./contact_rules.tsx";
import { FrequencyCapsSection } from "./frequency_caps.tsx";
import { OperatorFacts } from "./operator_facts.tsx";
import { PeopleSection } from "./people.tsx";
import { SendingSection } from "./sending.tsx";
import { SendingHoursSection } from "./sending_hours.tsx";
import { useSettings } from "./settings_data.ts";
import { VisitorsSection } from "./visitors.tsx";
import { words } from "../../i18n/words.ts";

/** How the company sends, to whom, when, and how much. */
export default function Settings() {
  const { data: settings, problem, reload } = useSettings();
  const names = words().settings;
  if (settings === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const all = { settings, onSaved: reload };
  return (
    <>
      <PageHead
        title={names.title}
        facts={
          <>
            <span>{company.value?.name}</span>
            <a href={link(["audit"])}>{names.history}</a>
          </>
        }
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <SendingSection key={keyOf(settings.on_unknown, settings.call_gap_s)} {...all} />
      <SendingHoursSection {...all} />
      <FrequencyCapsSection {...all} />
      <ContactRulesSection key={keyOf(settings.contact_rules)} {...all} />
      <PeopleSection {...all} />
      <VisitorsSection key={keyOf(settings.visitor_caps)} {...all} />
      <BudgetSection key={keyOf(settings.budget)} {...all} />
      <OperatorFacts settings={settings} />
    </>
  );
}

/** A form begins anew where another member changed what it shows. */
function keyOf(...shown: unknown[]): string {
  return JSON.stringify(shown);
}
