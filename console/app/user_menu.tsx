import { useEffect, useRef } from "preact/hooks";
import { api, ask } from "../data/client.ts";
import { link, readCompanies } from "../data/company.ts";
import { hrefTo } from "../data/href.ts";
import { navigate } from "../data/route.ts";
import { type CompanyOfUser, leaveCompany } from "../data/sdk.ts";
import { endSession, session } from "../data/session/session.ts";
import { chooseTheme, theme, THEMES } from "../data/theme.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog/confirm.tsx";
import { Select } from "../components/form/fields.tsx";
import { Icon } from "../components/icon.tsx";
import { attempt, toast } from "../components/dialog/toast.tsx";
import { language, LANGUAGE_NAMES } from "../i18n/language.ts";
import { openHelper } from "./shortcuts.ts";
import { chooseLanguage, words } from "../i18n/words.ts";

/** Shows who is logged in, how the page looks and speaks, and the way out. */
export function UserMenu({ company }: { company: CompanyOfUser }) {
  const menu = useRef<HTMLDetailsElement>(null);

  /** Returns the focus, which would be gone with the panel. */
  function closeFromKeyboard(): void {
    menu.current!.open = false;
    menu.current!.querySelector("summary")!.focus();
  }

  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      if (!menu.current!.contains(target as Node)) menu.current!.open = false;
    };
    addEventListener("pointerdown", closeOutside);
    return () => removeEventListener("pointerdown", closeOutside);
  }, []);
  return (
    <details
      ref={menu}
      class="user-menu"
      onKeyDown={(event) => event.key === "Escape" && closeFromKeyboard()}
    >
      <summary class="button quiet bare" aria-label={words().common.account} title={words().common.account}>
        <Icon name="user" />
      </summary>
      <div class="user-panel">
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
            closeFromKeyboard();
            navigate(link(["account"]));
          }}
        >
          {words().common.secondFactor}
        </Button>
        <Button
          onPress={() => {
            closeFromKeyboard();
            openHelper.value = "help";
          }}
        >
          {words().common.shortcuts}
        </Button>
        <Button
          onPress={() => {
            closeFromKeyboard();
            return leave(company);
          }}
        >
          {words().common.leave(company.name)}
        </Button>
        <Button onPress={() => endSession("left")}>{words().common.logOut}</Button>
      </div>
    </details>
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
