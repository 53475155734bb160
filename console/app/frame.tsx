import { useEffect, useRef, useState } from "preact/hooks";
import { isTest, link, liveCompany } from "../data/company.ts";
import { hrefTo } from "../data/href.ts";
import { useNotices } from "../data/live/desktop_notices.ts";
import type { CompanyOfUser } from "../data/sdk.ts";
import { shownWaiting, useWaiting } from "../data/live/waiting.ts";
import { Dock } from "../components/dialog/dock.tsx";
import { Empty } from "../components/empty.tsx";
import { PageHead } from "../components/page_head.tsx";
import { language } from "../i18n/language.ts";
import { IdleWarning } from "./idle_warning.tsx";
import { Invitations } from "./invitations.tsx";
import { MissingCompanies } from "./missing_companies.tsx";
import { Navigation } from "./navigation.tsx";
import { maySee } from "./may_see.ts";
import { findScreen, type Part } from "./screens.ts";
import { ScreenView } from "./screen_view.tsx";
import { openHelper } from "./shortcuts.ts";
import { ShortcutsHelp } from "./shortcuts_help.tsx";
import { TopBar } from "./top_bar.tsx";
import { words } from "../i18n/words.ts";

/** Opened by a key, so that few load it. */
const PALETTE: Part = { load: () => import("./palette/command_palette.tsx") };

/** Navigation and bar around a screen. */
export function Frame({ company, path }: { company: CompanyOfUser; path: string[] }) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const isFirst = useRef(true);
  const found = findScreen(path);
  const where = path.join("/");

  const waiting = useWaiting();
  useNotices();

  useEffect(() => setMenuOpen(false), [where]);
  useEffect(() => {
    const title = found ? words().screens[found.screen.path] : words().common.unknownPage;
    const count = waiting > 0 ? `(${shownWaiting(waiting)}) ` : "";
    document.title = `${count}${title} · ${company.name} · ${words().common.product}`;
  }, [where, language.value, waiting]);
  useEffect(() => {
    scrollTo(0, 0);
    // A screen reader reads on at the new screen, not in the navigation.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [where, language.value]);

  return (
    <div class="frame">
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {words().common.skip}
      </a>
      <TopBar
        {...{ company, isMenuOpen, menuButton }}
        onMenu={() => setMenuOpen(!isMenuOpen)}
      />
      <Navigation
        path={where}
        isOpen={isMenuOpen}
        waiting={waiting}
        onClose={() => {
          setMenuOpen(false);
          menuButton.current?.focus();
        }}
        onChoose={() => setMenuOpen(false)}
      />
      <main ref={main} tabIndex={-1} id="content">
        {isTest() && <OfTest />}
        <MissingCompanies />
        <Invitations />
        {found && !maySee(found.screen)
          ? <Empty title={isTest() ? words().common.notOfTest : words().problems.forbidden!} />
          : found
          ? <ScreenView key={`${company.company_id}/${where}`} {...found} />
          : (
            <>
              <PageHead title={words().common.unknownPage} />
              <Empty
                title={words().common.unknownPageHelp}
                action={<a href={link(["overview"])}>{words().common.toOverview}</a>}
              />
            </>
          )}
      </main>
      <Dock />
      {openHelper.value === "palette" && <ScreenView screen={PALETTE} />}
      {openHelper.value === "help" && <ShortcutsHelp />}
      <IdleWarning />
    </div>
  );
}

/** Says on every screen of a test company what it is, with the way out. */
function OfTest() {
  const { company_id, name } = liveCompany() ?? {};
  return (
    <p class="notice warn">
      {words().common.testHelp}
      {company_id && <a href={hrefTo([company_id, "overview"])}>{words().common.goTo(name!)}</a>}
    </p>
  );
}
