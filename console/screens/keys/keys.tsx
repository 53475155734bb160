import { isTest, may } from "../../data/company.ts";
import { PageHead } from "../../components/page_head.tsx";
import { AccessKey } from "./access_key.tsx";
import { ExpiringKeys } from "./expiring_keys.tsx";
import { FurtherKeys } from "./further_keys.tsx";
import { PublishableKeys } from "./publishable_keys.tsx";
import { TestCompanySection } from "./test_company.tsx";
import { UsageSection } from "./usage.tsx";
import { keyWords } from "../../i18n/key_words.ts";

/** The company's keys, and what was done with them. */
export default function Keys() {
  return (
    <>
      <PageHead title={keyWords().title} />
      <ExpiringKeys />
      {!isTest() && <AccessKey />}
      {may("owner") && <FurtherKeys />}
      <UsageSection />
      {!isTest() && <PublishableKeys />}
      {!isTest() && may("owner") && <TestCompanySection />}
    </>
  );
}
