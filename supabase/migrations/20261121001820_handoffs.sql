-- What comes of a voice session besides talk: a person takes over, and what the visitor thought of it. The session
-- itself is kept by the voice platform under conversation_id.
--
-- Nothing of a handoff lasts for ever: a visitor who has vanished says nothing, and nor does a room that is gone. One that
-- nobody joins ends after 15 minutes, in which the visitor's page has given up and the empty room has closed; one that
-- somebody joined ends 4 hours later, whatever the two do.
create table outbound.handoffs (
  company_id uuid not null,
  id uuid not null,
  widget_id uuid not null,
  -- The voice session that asked for it; no other may end it. Sessions are forgotten, so there is no foreign key.
  session_id uuid not null,
  conversation_id text not null,
  reason text,
  contact jsonb,
  -- Where visitor and operator meet at the real-time platform.
  room text not null,
  status text not null default 'waiting',
  created_at timestamptz not null default now(),
  -- Nobody gets in any more from then on, and the next tick ends it.
  expires_at timestamptz not null default now() + interval '15 minutes',
  ended_at timestamptz,
  constraint handoffs_pkey primary key (company_id, id),
  constraint handoffs_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint handoffs_status_check check (status in ('waiting', 'joined', 'ended')),
  constraint handoffs_ended_check check ((status = 'ended') = (ended_at is not null))
);
create index handoffs_recent_idx on outbound.handoffs (company_id, created_at desc, id);
create index handoffs_open_idx on outbound.handoffs (expires_at) where status <> 'ended';
alter table outbound.handoffs enable row level security;

create table outbound.voice_feedback (
  company_id uuid not null,
  conversation_id text not null,
  widget_id uuid not null,
  rating int not null,
  comment text,
  created_at timestamptz not null default now(),
  constraint voice_feedback_pkey primary key (company_id, widget_id, conversation_id),
  constraint voice_feedback_widget_fkey foreign key (company_id, widget_id)
    references outbound.widgets (company_id, id) on delete cascade,
  constraint voice_feedback_rating_check check (rating between 1 and 5)
);
alter table outbound.voice_feedback enable row level security;

-- Stores a wish to talk to a person, and reports it to the company's webhook.
create function outbound.request_handoff(
  p_company_id uuid, p_id uuid, p_widget_id uuid, p_session_id uuid, p_conversation_id text, p_reason text,
  p_contact jsonb, p_room text
)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, reason, contact, room)
  values (p_company_id, p_id, p_widget_id, p_session_id, p_conversation_id, p_reason, p_contact, p_room);
  perform outbound.write_event(p_company_id, 'handoff.requested', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', p_widget_id,
    'conversation_id', p_conversation_id, 'reason', p_reason, 'contact', p_contact, 'room', p_room,
    'created_at', outbound.iso_time(now())));
end
$$;
revoke execute on function outbound.request_handoff from public;

-- The room of a company's handoff that is still open; nothing when there is none.
create function outbound.open_handoff_room(p_company_id uuid, p_id uuid)
returns text
language sql stable security invoker set search_path = ''
as $$
  select h.room from outbound.handoffs as h
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended' and h.expires_at > now()
$$;
revoke execute on function outbound.open_handoff_room from public;

-- A person of the company takes over. Returns the room, or nothing when there is no such handoff, or it has ended.
create function outbound.join_handoff(p_company_id uuid, p_id uuid)
returns text
language sql security invoker set search_path = ''
as $$
  update outbound.handoffs as h
  set status = 'joined', expires_at = case h.status when 'joined' then h.expires_at else now() + interval '4 hours' end
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended' and h.expires_at > now()
  returning h.room
$$;
revoke execute on function outbound.join_handoff from public;

-- Ends a handoff and reports it to the company's webhook; ending it again changes nothing. p_reason: visitor, expired or
-- room_closed.
create function outbound.end_open_handoff(p_company_id uuid, p_id uuid, p_reason text)
returns void
language plpgsql security invoker set search_path = ''
as $$
declare
  v_handoff outbound.handoffs;
begin
  select * into v_handoff from outbound.handoffs as h
  where h.company_id = p_company_id and h.id = p_id and h.status <> 'ended'
  for no key update;
  if not found then
    return;
  end if;
  update outbound.handoffs as h set status = 'ended', ended_at = now()
  where h.company_id = p_company_id and h.id = p_id;
  perform outbound.write_event(p_company_id, 'handoff.ended', now(), json_build_object(
    'company_id', p_company_id, 'handoff_id', p_id, 'widget_id', v_handoff.widget_id,
    'conversation_id', v_handoff.conversation_id, 'room', v_handoff.room, 'previous_status', v_handoff.status,
    'reason', p_reason, 'created_at', outbound.iso_time(v_handoff.created_at),
    'ended_at', outbound.iso_time(now())));
end
$$;
revoke execute on function outbound.end_open_handoff from public;

-- Ends the handoff that a session asked for. Returns the room, or nothing when the session has no such handoff.
create function outbound.end_handoff(p_company_id uuid, p_session_id uuid, p_id uuid)
returns text
language plpgsql security invoker set search_path = ''
as $$
declare
  v_room text;
begin
  select h.room into v_room from outbound.handoffs as h
  where h.company_id = p_company_id and h.session_id = p_session_id and h.id = p_id;
  if found then
    perform outbound.end_open_handoff(p_company_id, p_id, 'visitor');
  end if;
  return v_room;
end
$$;
revoke execute on function outbound.end_handoff from public;

-- Ends what has lasted for too long, the oldest first. For tick(): what somebody is working on waits for the next one.
create function outbound.expire_handoffs(p_limit int)
returns void
language plpgsql security invoker set search_path = ''
as $$
begin
  perform outbound.end_open_handoff(due.company_id, due.id, 'expired')
  from (
    select h.company_id, h.id from outbound.handoffs as h
    where h.status <> 'ended' and h.expires_at <= now()
    order by h.expires_at limit p_limit for no key update skip locked
  ) as due;
end
$$;
revoke execute on function outbound.expire_handoffs from public;
