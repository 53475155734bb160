import type { RefObject } from "preact";
import { companies } from "../data/company.ts";
import { oldestShown } from "../data/entries.ts";
import { liveState, toggleLive } from "../data/live/live.ts";
import { hrefTo } from "../data/href.ts";
import { navigate } from "../data/route.ts";
import type { CompanyOfUser } from "../data/sdk.ts";
import { Button } from "../components/button.tsx";
import { Select } from "../components/form/fields.tsx";
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
          <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M2 4h12M2 8h12M2 12h12" />
          </svg>
        </button>
      </div>
      {known.length > 1
        ? (
          <Select
            label={words().common.company}
            hideLabel
            value={company.company_id}
            options={known.map(({ company_id, name }) => [company_id, name] as const)}
            onChange={(id) => navigate(hrefTo([id, "overview"]))}
          />
        )
        : <span class="company-name">{company.name}</span>}
      <div class="bar-end">
        <LiveSwitch />
        <Button
          kind="quiet"
          icon="search"
          label={`${words().common.commands} (Ctrl K)`}
          onPress={() => openHelper.value = "palette"}
        />
        <UserMenu company={company} />
      </div>
    </header>
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
