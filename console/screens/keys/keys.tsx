import { PageHead } from "../../components/page_head.tsx";
import { AccessKey } from "./access_key.tsx";
import { PublishableKeys } from "./publishable_keys.tsx";
import { UsageSection } from "./usage.tsx";
import { words } from "../../i18n/words.ts";

/** The company's keys, and what was done with them. */
export default function Keys() {
  return (
    <>
      <PageHead title={words().keys.title} />
      <AccessKey />
      <UsageSection />
      <PublishableKeys />
    </>
  );
}
