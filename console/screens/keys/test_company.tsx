import { api, ask } from "../../data/client.ts";
import { companyId, readCompanies, testCompany } from "../../data/company.ts";
import { hrefTo } from "../../data/href.ts";
import { openTestCompany } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Section } from "../../components/page_head.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { keyWords } from "../../i18n/key_words.ts";

/** Makes the company's test company, or leads to it. */
export function TestCompanySection() {
  const twin = testCompany();
  const names = keyWords();

  async function open(done: string): Promise<void> {
    const path = { company_id: companyId() };
    if (await attempt(() => ask(openTestCompany({ client: api(), path }))) === undefined) return;
    toast(done);
    await readCompanies();
  }

  return (
    <Section title={names.test}>
      <p class="help">{names.testHelp}</p>
      <div class="actions below">
        {twin
          ? (
            <>
              <ButtonLink href={hrefTo([twin.company_id, "keys"])}>{names.goToTest}</ButtonLink>
              <Button icon="again" onPress={() => open(names.testRefreshed)}>{names.refreshTest}</Button>
            </>
          )
          : <Button icon="plus" onPress={() => open(names.testMade)}>{names.makeTest}</Button>}
      </div>
    </Section>
  );
}
