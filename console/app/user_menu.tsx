import { useEffect, useRef } from "preact/hooks";
import { api, ask } from "../data/client.ts";
import { link, readCompanies } from "../data/company.ts";
import { linkTo } from "../data/links.ts";
import { goTo } from "../data/place.ts";
import { type CompanyOfUser, leaveCompany } from "../data/sdk.ts";
import { endSession, session } from "../data/session.ts";
import { chooseTheme, theme, THEMES } from "../data/theme.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { Select } from "../components/fields.tsx";
import { Icon } from "../components/icon.tsx";
import { attempt, toast } from "../components/toast.tsx";
import { chooseLanguage, language, LANGUAGES } from "../i18n/language.ts";
import type { Language } from "../i18n/language.ts";
import { words } from "../i18n/words.ts";
import { openHelper } from "./shortcuts.ts";

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
      <summary class="button quiet bare" aria-label={words().account} title={words().account}>
        <Icon name="user" />
      </summary>
      <div class="user-panel">
        <p>
          <strong>{session.value?.name ?? session.value?.email}</strong>
          <span class="facts">{session.value?.email} · {words().roles[company.role]}</span>
        </p>
        <Select
          label={words().theme}
          value={theme.value}
          options={THEMES.map((each) => [each, words().themes[each]] as const)}
          onChange={chooseTheme}
        />
        <Select
          label={words().language}
          value={language.value}
          options={Object.entries(LANGUAGES) as [Language, string][]}
          onChange={chooseLanguage}
        />
        <Button
          onPress={() => {
            closeFromKeyboard();
            goTo(link(["account"]));
          }}
        >
          {words().secondFactor}
        </Button>
        <Button
          onPress={() => {
            closeFromKeyboard();
            openHelper.value = "help";
          }}
        >
          {words().shortcuts}
        </Button>
        <Button
          onPress={() => {
            closeFromKeyboard();
            return leave(company);
          }}
        >
          {words().leave(company.name)}
        </Button>
        <Button onPress={() => endSession("left")}>{words().logOut}</Button>
      </div>
    </details>
  );
}

async function leave({ company_id, name }: CompanyOfUser): Promise<void> {
  const { leave: action, leaveTitle, leaveText, hasLeft } = words();
  if (!await confirm({ title: leaveTitle(name), text: leaveText, action: action(name), isDanger: true })) {
    return;
  }
  if (await attempt(() => ask(leaveCompany({ client: api(), path: { company_id } }))) === undefined) return;
  toast(hasLeft(name));
  await readCompanies();
  goTo(linkTo([]));
}
