-- What governs decisions, held by the file itself, so that no program gets round it by mistake. A
-- decision with a status is governed.

-- Decisions by target; outcomes and signals by the decision that they are of.
CREATE INDEX content_by_key ON content (key) WHERE key <> '';
-- What holds of one domain is summed up at every new outcome.
CREATE INDEX record_of_domain ON record (type, scope) WHERE kind = 'outcome';

CREATE TRIGGER decision_has_a_known_status BEFORE INSERT ON record
WHEN new.kind = 'decision'
 AND new.status NOT IN ('', 'draft', 'active', 'superseded', 'deprecated')
BEGIN SELECT RAISE (ABORT, 'a decision is draft, active, superseded or deprecated'); END;

CREATE TRIGGER decision_moves_one_way BEFORE UPDATE OF status ON record
WHEN new.kind = 'decision'
 AND old.status <> new.status
 AND old.status || '>' || new.status NOT IN
     ('draft>active', 'draft>deprecated', 'active>superseded', 'active>deprecated')
BEGIN SELECT RAISE (ABORT, 'a decision that was ended stays so'); END;

CREATE TRIGGER content_keeps_its_author BEFORE UPDATE OF author ON content
WHEN old.author <> new.author
BEGIN SELECT RAISE (ABORT, 'a record keeps its author for life'); END;

CREATE TRIGGER decision_is_superseded_by_a_decision BEFORE INSERT ON edge
WHEN new.type = 'supersedes'
 AND EXISTS (SELECT 1 FROM record WHERE seq = new.dst AND kind = 'decision' AND status <> '')
 AND NOT EXISTS (SELECT 1
                   FROM record s
                   JOIN record d ON d.seq = new.dst
                  WHERE s.seq = new.src
                    AND s.kind = 'decision'
                    AND d.status = 'superseded')
BEGIN SELECT RAISE (ABORT, 'a decision is superseded by a decision, and says so'); END;

CREATE TRIGGER decision_of_a_person_outranks_an_agents BEFORE INSERT ON edge
WHEN new.type = 'supersedes'
 AND EXISTS (SELECT 1
               FROM record r
               JOIN content c ON c.seq = r.seq
               JOIN author a ON a.id = c.author
              WHERE r.seq = new.dst AND r.kind = 'decision' AND a.kind = 'human')
 AND EXISTS (SELECT 1
               FROM content c
               JOIN author a ON a.id = c.author
              WHERE c.seq = new.src AND a.kind = 'agent')
BEGIN SELECT RAISE (ABORT, 'an agent does not supersede what a person decided'); END;

-- Every change of a record has its entry, made while the record is still there.
CREATE TRIGGER decision_of_a_person_is_left_to_people BEFORE INSERT ON event
WHEN (SELECT kind FROM author WHERE id = new.author) = 'agent'
 AND EXISTS (SELECT 1
               FROM record r
               JOIN content c ON c.seq = r.seq
               JOIN author a ON a.id = c.author
              WHERE r.id = new.record AND r.kind = 'decision' AND a.kind = 'human')
BEGIN SELECT RAISE (ABORT, 'an agent does not change what a person decided'); END;
