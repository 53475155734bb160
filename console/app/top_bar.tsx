import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { companies, link } from "../data/company.ts";
import { isSandbox } from "../data/client.ts";
import { oldestShown } from "../data/entries.ts";
import { liveState, toggleLive } from "../data/live/live.ts";
import { hrefTo } from "../data/href.ts";
import { navigate } from "../data/route.ts";
import type { CompanyOfUser } from "../data/sdk.ts";
import { Select } from "../components/form/fields.tsx";
import { Icon } from "../components/icon.tsx";
import { Mark } from "../components/mark.tsx";
import { moment } from "../i18n/format.ts";
import { openHelper } from "./shortcuts.ts";
import { UserMenu } from "./user_menu.tsx";
import { words } from "../i18n/words.ts";

/** Company, live switch, commands and account, on every screen. */
export function TopBar({ company, isMenuOpen, menuButton, onMenu }: {
  company: CompanyOfUser;
  isMenuOpen: boolean;
  menuButton: RefObject<HTMLButtonElement | null>;
  onMenu: () => void;
}) {
  const known = companies.value ?? [];
  // Shows the company again where the member stays, because something is not saved.
  const [choices, setChoices] = useState(0);
  return (
    <header class="top-bar">
      <div class="menu-button">
        <button
          ref={menuButton}
          type="button"
          class="button quiet bare"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          aria-label={words().common.menu}
          onClick={onMenu}
        >
          <Icon name="menu" />
        </button>
      </div>
      <a class="home" href={link(["overview"])} aria-label={words().common.toOverview}>
        <Mark />
      </a>
      {known.length > 1
        ? (
          <Select
            key={choices}
            label={words().common.company}
            hideLabel
            value={company.company_id}
            options={known.map(({ company_id, name }) => [company_id, name] as const)}
            onChange={(id) => {
              navigate(hrefTo([id, "overview"]));
              setChoices(choices + 1);
            }}
          />
        )
        : <span class="company-name">{company.name}</span>}
      {company.test && <span class="badge warn" title={words().common.testHelp}>{words().common.test}</span>}
      {isSandbox && (
        <span class="badge warn" title={words().common.sandboxHelp}>{words().common.sandbox}</span>
      )}
      <div class="bar-end">
        <LiveSwitch />
        <SearchButton />
        <UserMenu company={company} />
      </div>
    </header>
  );
}

/** A field in looks: what is typed goes into the palette. */
function SearchButton() {
  return (
    <button
      type="button"
      class="search-button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => openHelper.value = "palette"}
    >
      <Icon name="search" />
      <span>{words().common.search}</span>
      <kbd aria-hidden="true">Ctrl K</kbd>
    </button>
  );
}

/** Says whether the page follows what happens, and stops or continues that. */
function LiveSwitch() {
  const state = liveState.value;
  return (
    <button
      type="button"
      class={`live ${state}`}
      aria-pressed={state !== "paused"}
      title={words().common.liveHelp[state]}
      onClick={toggleLive}
    >
      <span class="dot" aria-hidden="true" />
      {words().common.live[state]}
      {oldestShown.value !== undefined && (
        <span class="as-of">{words().common.asOf(moment(oldestShown.value, { style: "clock" }))}</span>
      )}
    </button>
  );
}
