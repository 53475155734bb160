-- Widgets on other people's pages: what they look like, the keys pages may show, and what a voice widget can look up.
create table outbound.widgets (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  kind text not null,
  name text not null,
  -- Checked on the way in and on the way out (_shared/widgets/widget_config.ts); what is left out has a default there.
  config jsonb not null,
  -- Origins of the pages that may show it; empty is any.
  allowed_origins text[] not null default '{}',
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint widgets_pkey primary key (company_id, id),
  constraint widgets_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint widgets_kind_check check (kind in ('chat', 'voice')),
  constraint widgets_name_check check (length(name) between 1 and 200),
  constraint widgets_config_check check (jsonb_typeof(config) = 'object'),
  -- Compared to the letter with what browsers send, and part of a Content-Security-Policy: no wildcard.
  constraint widgets_origins_check check (
    cardinality(allowed_origins) <= 100
    and array_to_string(allowed_origins, ' ', '*') ~ '^(https?://[a-z0-9._:\[\]-]+( |$))*$'
  )
);
-- Sessions name a widget without its company.
create unique index widgets_id_idx on outbound.widgets (id);
alter table outbound.widgets enable row level security;

-- Keys that may stand on a web page: they open a company's widgets and nothing else, so they are no secret.
create table outbound.publishable_keys (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  key text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  constraint publishable_keys_pkey primary key (company_id, id),
  constraint publishable_keys_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint publishable_keys_key_check check (key ~ '^pk_[A-Za-z0-9_-]{20,100}$')
);
create unique index publishable_keys_key_idx on outbound.publishable_keys (key);
alter table outbound.publishable_keys enable row level security;

-- The text search configuration of that name; fails for one that pg_ts_config does not have. Generated columns need it to
-- be immutable, and it is as immutable as to_tsvector: what a configuration does changes only if somebody replaces it.
create function outbound.text_search_config(p_name text)
returns regconfig
language sql immutable strict security invoker set search_path = ''
return p_name::regconfig;
revoke execute on function outbound.text_search_config from public;

-- Texts that a voice session can look things up in.
create table outbound.knowledge_documents (
  company_id uuid not null,
  id uuid not null default gen_random_uuid(),
  title text not null,
  content text not null,
  url text,
  -- How words are reduced to their stems: a name of pg_ts_config, which `search` looks up; 'simple' leaves them as they
  -- are. As text, because pg_upgrade refuses every database with a column of type regconfig.
  language text not null default 'simple',
  -- The words as they stand are in it too, for questions asked in another language.
  search tsvector not null generated always as (
    setweight(to_tsvector(outbound.text_search_config(language), title), 'A')
      || setweight(to_tsvector(outbound.text_search_config(language), content), 'B')
      || setweight(to_tsvector('simple', title), 'B') || to_tsvector('simple', content)
  ) stored,
  created_at timestamptz not null default now(),
  constraint knowledge_documents_pkey primary key (company_id, id),
  constraint knowledge_documents_company_fkey foreign key (company_id)
    references outbound.companies (id) on delete cascade,
  constraint knowledge_documents_title_check check (length(title) between 1 and 300),
  constraint knowledge_documents_content_check check (length(content) between 1 and 100000),
  constraint knowledge_documents_url_check check (url ~ '^https?://' and length(url) <= 2000)
);
create index knowledge_documents_search_idx on outbound.knowledge_documents using gin (search);
alter table outbound.knowledge_documents enable row level security;

-- A company's documents that hold any word of a question but the most common ones of its language, the best first.
create function outbound.search_knowledge(p_company_id uuid, p_question text, p_language regconfig, p_limit int)
returns table (title text, text text, url text)
language sql stable security invoker set search_path = ''
as $$
  with question as (
    select string_agg(
      (plainto_tsquery('simple', word.lexeme) || plainto_tsquery(p_language, word.lexeme))::text, ' | '
    )::tsquery as words
    from unnest(to_tsvector('simple', p_question)) as word
    where to_tsvector(p_language, word.lexeme) <> ''::tsvector
  ),
  best as (
    select d.title, d.content, d.url, d.id, d.language, q.words, ts_rank(d.search, q.words) as rank
    from question as q
    join outbound.knowledge_documents as d on d.search @@ q.words
    where d.company_id = p_company_id
    order by rank desc, d.id
    limit p_limit
  )
  select b.title,
    case when length(b.content) <= 1000 then b.content else ts_headline(
      outbound.text_search_config(b.language), b.content, b.words,
      'MaxFragments=3, MaxWords=60, MinWords=20, StartSel="", StopSel="", FragmentDelimiter=" … "') end,
    b.url
  from best as b order by b.rank desc, b.id
$$;
revoke execute on function outbound.search_knowledge from public;

-- What visitors ask for, counted per address and per conversation; subjects are hashes.
create table outbound.visitor_requests (
  subject text not null,
  window_start timestamptz not null,
  requests int not null,
  constraint visitor_requests_pkey primary key (subject)
) with (fillfactor = 50);
create index visitor_requests_window_idx on outbound.visitor_requests (window_start);
alter table outbound.visitor_requests enable row level security;

-- Counts a request against each subject. One that is refused does not count further, so that whoever goes on trying is
-- let in when the window ends. wait_s: seconds to wait, 0 when it may go on; reached: the limit that is in the way.
create function outbound.count_visitor_request(
  p_subjects text[], p_limits int[], p_window interval, out wait_s int, out reached int
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_row record;
begin
  wait_s := 0;
  for v_row in
    insert into outbound.visitor_requests as r (subject, window_start, requests)
    select s.subject, now(), 1 from unnest(p_subjects, p_limits) as s(subject, most) order by s.subject
    on conflict (subject) do update set
      requests = case when outbound.is_window_over(r.window_start, p_window) then 1
        else least(r.requests, p_limits[array_position(p_subjects, r.subject)]) + 1 end,
      window_start = case when outbound.is_window_over(r.window_start, p_window) then now() else r.window_start end
    returning r.requests, outbound.seconds_until(r.window_start + p_window) as ends_s,
      p_limits[array_position(p_subjects, r.subject)] as most
  loop
    if v_row.requests > v_row.most and v_row.ends_s > wait_s then
      wait_s := v_row.ends_s;
      reached := v_row.most;
    end if;
  end loop;
end
$$;
revoke execute on function outbound.count_visitor_request from public;

-- The company behind a key that a page shows, and one of its widgets: the company's own access key (by its hash) or a
-- publishable one. No row when the key is no good; no widget when it is not there, off, or of another company. The use
-- of a widget does not count against the rate of the company's key: visitors are not the company's backend.
create function outbound.widget_for_key(p_key text, p_key_hash text, p_widget_id uuid)
returns table (
  company_id uuid, company_name text, api_access boolean, publishable boolean,
  widget_id uuid, kind text, config jsonb, allowed_origins text[]
)
language plpgsql security invoker set search_path = ''
as $$
declare
  v_company uuid;
  v_publishable boolean := false;
begin
  select k.company_id into v_company from outbound.api_keys as k where k.key_hash = p_key_hash and k.is_active;
  if found then
    update outbound.api_keys as k set last_used_at = now()
    where k.key_hash = p_key_hash
      and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
  else
    select p.company_id into v_company from outbound.publishable_keys as p where p.key = p_key and p.is_active;
    v_publishable := true;
  end if;
  return query select c.id, c.name, c.api_access, v_publishable, w.id, w.kind, w.config, w.allowed_origins
  from outbound.companies as c
  left join outbound.widgets as w on w.company_id = c.id and w.id = p_widget_id and w.is_active
  where c.id = v_company;
end
$$;
revoke execute on function outbound.widget_for_key from public;
