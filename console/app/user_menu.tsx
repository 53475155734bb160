import { api, ask } from "../data/client.ts";
import { link, readCompanies } from "../data/company.ts";
import { hrefTo } from "../data/href.ts";
import { navigate } from "../data/route.ts";
import { type CompanyOfUser, leaveCompany } from "../data/sdk.ts";
import { endSession, session } from "../data/session/session.ts";
import { mayLeave } from "../data/unsaved.ts";
import { chooseTheme, theme, THEMES } from "../data/theme.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog/confirm.tsx";
import { Select } from "../components/form/fields.tsx";
import { Menu } from "../components/menu.tsx";
import { attempt, toast } from "../components/dialog/toast.tsx";
import { language, LANGUAGE_NAMES } from "../i18n/language.ts";
import { openHelper } from "./shortcuts.ts";
import { chooseLanguage, words } from "../i18n/words.ts";

/** Shows who is logged in, how the page looks and speaks, and the way out. */
export function UserMenu({ company }: { company: CompanyOfUser }) {
  return (
    <Menu label={words().common.account} icon="user">
      {(close) => (
        <>
          <p>
            <strong>{session.value?.name ?? session.value?.email}</strong>
            <span class="facts">{session.value?.email} · {words().common.roles[company.role]}</span>
          </p>
          <Select
            label={words().common.theme}
            value={theme.value}
            options={THEMES.map((each) => [each, words().common.themes[each]] as const)}
            onChange={chooseTheme}
          />
          <Select
            label={words().common.language}
            value={language.value}
            options={LANGUAGE_NAMES}
            onChange={(code) => attempt(() => chooseLanguage(code))}
          />
          <Button
            onPress={() => {
              close();
              navigate(link(["account"]));
            }}
          >
            {words().account.title}
          </Button>
          <Button
            onPress={() => {
              close();
              openHelper.value = "help";
            }}
          >
            {words().common.shortcuts}
          </Button>
          <Button
            onPress={() => {
              close();
              return leave(company);
            }}
          >
            {words().common.leave(company.name)}
          </Button>
          <Button
            onPress={async () => {
              close();
              if (await mayLeave()) endSession("left");
            }}
          >
            {words().common.logOut}
          </Button>
        </>
      )}
    </Menu>
  );
}

async function leave({ company_id, name }: CompanyOfUser): Promise<void> {
  const { leave: action, leaveTitle, leaveText, hasLeft } = words().common;
  if (!await confirm({ title: leaveTitle(name), text: leaveText, action: action(name), isDanger: true })) {
    return;
  }
  if (await attempt(() => ask(leaveCompany({ client: api(), path: { company_id } }))) === undefined) return;
  toast(hasLeft(name));
  await readCompanies();
  navigate(hrefTo([]));
}
