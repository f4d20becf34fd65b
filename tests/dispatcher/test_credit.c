/*
 * test_credit.c - how many tasks a worker may hold: enough, not too many, and few at the
 * end.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/free_state.h"

#include <stdlib.h>

enum { WORKERS_MAX = 6, TASKS_MAX = 3000 };

static const double plenty = 1e12; /* cost left, where the end is far away */

/* A run in simulated time: each worker computes what it holds, one by one. */
typedef struct {
    int n_workers, n_tasks;
    credits_t credit;
    double guess[WORKERS_MAX];
    double rate[WORKERS_MAX];  /* the true one */
    double ready[WORKERS_MAX]; /* when the current task is finished; < 0: idle */
    double dies[WORKERS_MAX];  /* when it fails; < 0: never */
    double cost[TASKS_MAX];
    int todo[TASKS_MAX]; /* [n_todo] a stack */
    int n_todo;
    int times[TASKS_MAX]; /* how often a task was finished */
    double left;          /* cost of todo */
    double end;
} sim_t;

static sim_t sim;

/* A repeatable number in [0, 1). */
static double chance(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 33) / (double)(UINT64_C(1) << 31);
}

static void grant(int w)
{
    while (sim.n_todo > 0) {
        int task = sim.todo[sim.n_todo - 1];

        if (!credit_allows(&sim.credit, w, sim.cost[task], sim.left))
            return;
        assert_int_equal(credit_grant(&sim.credit, w, task, sim.cost[task]), ST_OK);
        sim.left -= sim.cost[task];
        sim.n_todo--;
    }
}

/* Tasks are not left over while nobody works. */
static void assert_somebody_works(void)
{
    bool somebody_works = sim.n_todo == 0, somebody_is_left = false;

    for (int w = 0; w < sim.n_workers; w++) {
        somebody_works = somebody_works || credit_n_out(&sim.credit.worker[w]) > 0;
        somebody_is_left = somebody_is_left || !sim.credit.worker[w].gone;
    }
    assert_true(somebody_works || !somebody_is_left);
    assert_int_equal(somebody_is_left, sim.credit.n_left > 0);
}

static void grant_all(void)
{
    for (int w = 0; w < sim.n_workers; w++)
        grant(w);
    assert_somebody_works();
}

/* As the dispatcher does when a worker may have no more. */
static void grant_to_fastest_finisher(void)
{
    int before = -1;

    while (sim.n_todo > 0 && sim.n_todo != before) {
        int w = credit_fastest_finisher(&sim.credit, sim.cost[sim.todo[sim.n_todo - 1]]);

        before = sim.n_todo;
        if (w >= 0)
            grant(w);
    }
    assert_somebody_works();
}

static int64_t task_at(const credit_t *c, int64_t i)
{
    return ((const int64_t *)fifo_data(&c->out))[i];
}

static void begin_next(int w, double now)
{
    const credit_t *c = &sim.credit.worker[w];

    if (sim.ready[w] < 0 && credit_n_out(c) > 0)
        sim.ready[w] = now + sim.cost[task_at(c, 0)] / sim.rate[w];
}

static void lose(int w)
{
    const credit_t *c = &sim.credit.worker[w];

    for (int64_t i = 0; i < credit_n_out(c); i++) {
        sim.todo[sim.n_todo++] = (int)task_at(c, i);
        sim.left += sim.cost[task_at(c, i)];
    }
    credit_leave(&sim.credit, w);
    sim.ready[w] = -1;
    grant_all();
}

static void finish(int w)
{
    const credit_t *c = &sim.credit.worker[w];
    int task = (int)task_at(c, 0);

    sim.ready[w] = -1;
    sim.times[task]++;
    credit_measure(&sim.credit, w, sim.rate[w]); /* measured with the result */
    assert_true(credit_settle(&sim.credit, w, task, sim.cost[task]));
    grant(w);
    if (credit_n_out(c) == 0)
        grant_to_fastest_finisher();
}

/* @return the worker with the next event, or -1 */
static int next_event(double *when, bool *dies)
{
    int who = -1;

    for (int w = 0; w < sim.n_workers; w++) {
        bool mortal = sim.dies[w] >= 0 && !sim.credit.worker[w].gone;

        if (sim.ready[w] >= 0 && (who < 0 || sim.ready[w] < *when)) {
            who = w;
            *when = sim.ready[w];
            *dies = false;
        }
        if (mortal && sim.n_todo > 0 && (who < 0 || sim.dies[w] < *when)) {
            who = w;
            *when = sim.dies[w];
            *dies = true;
        }
    }
    return who;
}

/* Run the tasks, the most expensive ones last in todo, at the rates that are set. */
static void simulate(void)
{
    double now = 0;
    bool dies = false;

    assert_int_equal(credit_begin(&sim.credit, sim.n_workers, sim.guess), ST_OK);
    grant_all();
    for (int who = 0; who >= 0;) {
        for (int w = 0; w < sim.n_workers; w++)
            begin_next(w, now);
        if ((who = next_event(&now, &dies)) < 0)
            break;
        if (dies) {
            lose(who);
        } else {
            sim.end = now;
            finish(who);
        }
    }
    credit_free(&sim.credit);
}

static int cheaper(const void *a, const void *b)
{
    double x = sim.cost[*(const int *)a], y = sim.cost[*(const int *)b];

    return x < y ? -1 : x > y;
}

static void prepare(int n_workers, int n_tasks, double max_cost, uint64_t seed)
{
    sim = (sim_t){.n_workers = n_workers, .n_tasks = n_tasks, .n_todo = n_tasks};
    for (int i = 0; i < n_tasks; i++) {
        sim.cost[i] = 1 + (max_cost - 1) * chance(&seed);
        sim.todo[i] = i;
        sim.left += sim.cost[i];
    }
    qsort(sim.todo, (size_t)n_tasks, sizeof(sim.todo[0]), cheaper);
    for (int w = 0; w < n_workers; w++) {
        sim.ready[w] = sim.dies[w] = -1;
        sim.rate[w] = sim.guess[w] = 1;
    }
}

static void assert_each_done_once(void)
{
    for (int i = 0; i < sim.n_tasks; i++)
        assert_int_equal(sim.times[i], 1);
}

/* Workers with these rates. */
static credits_t workers_of(int n, const double *rate)
{
    credits_t all;

    assert_int_equal(credit_begin(&all, n, rate), ST_OK);
    return all;
}

/* Grant n tasks of a cost to a worker. */
static void hold(credits_t *all, int w, int n, double cost)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(credit_grant(all, w, 100 + i, cost), ST_OK);
}

/* The worker has finished a task: its rate is no longer a guess. */
static void prove(credits_t *all, int w)
{
    assert_int_equal(credit_grant(all, w, 99, 1), ST_OK);
    assert_true(credit_settle(all, w, 99, 1));
}

static void a_worker_holds_two_tasks_whatever_they_cost(void **state)
{
    credits_t c = workers_of(2, (const double[]){1, 1});

    (void)state;
    for (int i = 0; i < 2; i++) { /* each is 50 seconds' worth */
        assert_true(credit_allows(&c, 0, 50, plenty));
        assert_int_equal(credit_grant(&c, 0, i, 50), ST_OK);
    }
    assert_false(credit_allows(&c, 0, 50, plenty));
    credit_free(&c);
}

static void the_window_holds_a_second_or_more_of_work(void **state)
{
    credits_t c = workers_of(1, (const double[]){1000});
    int n = 0;

    (void)state;
    while (credit_allows(&c, 0, 10, plenty))
        assert_int_equal(credit_grant(&c, 0, n++, 10), ST_OK);
    assert_int_equal(n, 100);
    assert_true(c.worker[0].out_cost == 1000);
    assert_true(c.out_cost == 1000);
    assert_true(credit_settle(&c, 0, 42, 10));
    assert_true(credit_allows(&c, 0, 10, 6500)); /* 7.5 seconds are left */
    assert_false(credit_allows(&c, 0, 11, 6500));
    while (credit_allows(&c, 0, 10, plenty))
        assert_int_equal(credit_grant(&c, 0, n++, 10), ST_OK);
    assert_true(c.out_cost == 4000);
    credit_free(&c);
}

static void a_slow_worker_leaves_the_last_tasks_to_a_fast_one(void **state)
{
    credits_t c = workers_of(2, (const double[]){1, 100});

    (void)state;
    prove(&c, 0);
    hold(&c, 1, 5, 10);
    /* the rest takes (50 + 10) / 101 s; worker 0 needs 10 s, worker 1 (50 + 10) / 100 s
     */
    assert_false(credit_allows(&c, 0, 10, 10));
    assert_true(credit_allows(&c, 1, 10, 10));
    assert_int_equal(credit_fastest_finisher(&c, 10), 1);
    /* with 3000 more both need 30 s: 10 s on worker 0 do not matter */
    assert_true(credit_allows(&c, 0, 10, 3000));
    credit_free(&c);
}

static void an_idle_slow_worker_helps_a_fast_one_that_is_full(void **state)
{
    credits_t c = workers_of(2, (const double[]){50, 100});

    (void)state;
    prove(&c, 0);
    hold(&c, 1, 9, 10);
    /* worker 0 needs 10 / 50 s, worker 1 (90 + 10) / 100 s */
    assert_true(credit_allows(&c, 0, 10, 10));
    assert_int_equal(credit_fastest_finisher(&c, 10), 0);
    credit_free(&c);
}

static void equal_workers_share_the_last_tasks(void **state)
{
    credits_t c = workers_of(4, (const double[]){10, 10, 10, 10});
    int left = 8;

    (void)state;
    for (int w = 0; w < 4; w++)
        while (left > 0 && credit_allows(&c, w, 5, 5.0 * left))
            assert_int_equal(credit_grant(&c, w, left--, 5), ST_OK);
    for (int w = 0; w < 4; w++)
        assert_int_equal(credit_n_out(&c.worker[w]), 2);
    credit_free(&c);
}

static void the_last_task_is_not_refused_by_all(void **state)
{
    credits_t c = workers_of(3, (const double[]){10, 10, 10});

    (void)state;
    for (int w = 0; w < 3; w++) {
        prove(&c, w);
        assert_true(credit_allows(&c, w, 5, 5));
    }
    credit_free(&c);
}

static void a_worker_that_is_gone_gets_nothing_and_blocks_nobody(void **state)
{
    credits_t c = workers_of(2, (const double[]){1, 1000});

    (void)state;
    hold(&c, 1, 3, 1);
    credit_leave(&c, 1);
    assert_int_equal(c.n_left, 1);
    assert_false(credit_allows(&c, 1, 1, plenty));
    assert_true(credit_allows(&c, 0, 10, 10));
    assert_int_equal(credit_fastest_finisher(&c, 10), 0);
    credit_leave(&c, 0);
    assert_int_equal(credit_fastest_finisher(&c, 10), -1);
    credit_free(&c);
}

static void a_task_that_a_worker_does_not_hold_is_not_settled(void **state)
{
    credits_t c = workers_of(2, (const double[]){1, 1});

    (void)state;
    assert_int_equal(credit_grant(&c, 0, 7, 0.1), ST_OK);
    assert_int_equal(credit_grant(&c, 0, 8, 0.2), ST_OK);
    assert_false(credit_settle(&c, 0, 9, 1));
    assert_false(credit_settle(&c, 1, 7, 0.1));
    assert_true(credit_settle(&c, 0, 7, 0.1));
    assert_false(credit_settle(&c, 0, 7, 0.1));
    assert_true(credit_settle(&c, 0, 8, 0.2));
    assert_true(c.worker[0].out_cost == 0); /* exactly */
    assert_int_equal(c.worker[0].n_done, 2);
    credit_free(&c);
}

/* All workers together need 20 s.  By its guess worker 0 needs 50 s for a task: too long
 * if the guess is right, which only a first task shows. */
static void a_worker_of_unknown_rate_gets_its_first_task(void **state)
{
    credits_t c = workers_of(3, (const double[]){0.02, 10, 10});

    (void)state;
    hold(&c, 1, 1, 1);
    hold(&c, 2, 1, 1);
    assert_true(credit_allows(&c, 0, 1, 400));
    assert_false(credit_allows(&c, 0, 1, 200)); /* 10 s: too little is left */
    assert_int_equal(credit_grant(&c, 0, 5, 1), ST_OK);
    assert_false(credit_allows(&c, 0, 1, 400)); /* one is enough to measure */
    assert_true(credit_settle(&c, 0, 5, 1));
    assert_false(credit_allows(&c, 0, 1, 400)); /* now the rate is measured */
    credit_free(&c);
}

static void a_guess_far_too_low_costs_little(void **state)
{
    (void)state;
    prepare(3, 600, 2, 1);
    for (int w = 0; w < 3; w++) /* 10 s of work for three */
        sim.rate[w] = sim.guess[w] = sim.left / 30;
    sim.guess[0] /= 1000; /* a task takes 0.05 s, not the 50 s of the guess */
    simulate();
    assert_each_done_once();
    assert_true(sim.end < 20); /* 15 s without it */
}

static void totals_do_not_drift(void **state)
{
    credits_t c = workers_of(3, (const double[]){1e12, 1, 1});
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        double cost = 1e9 * chance(&seed) + 0.1;

        assert_int_equal(credit_grant(&c, i % 3, i, cost), ST_OK);
        credit_measure(&c, i % 3, 0.1 + 1e12 * chance(&seed));
        assert_true(credit_settle(&c, i % 3, i, cost));
    }
    for (int w = 0; w < 3; w++)
        credit_measure(&c, w, 1);
    assert_true(c.rate > 2.99 && c.rate < 3.01);
    assert_true(c.out_cost < 1e-3 && c.out_cost > -1e-3);
    credit_free(&c);
}

/* A fast device holds thousands of small tasks. */
static void many_tasks_are_settled_in_any_order(void **state)
{
    credits_t c = workers_of(1, (const double[]){1});

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3000; i++)
            assert_int_equal(credit_grant(&c, 0, i, 1), ST_OK);
        for (int i = 0; i < 3000; i++) /* neighbours swapped */
            assert_true(credit_settle(&c, 0, i ^ 1, 1));
        assert_int_equal(credit_n_out(&c.worker[0]), 0);
    }
    credit_free(&c);
}

static void every_run_ends_with_every_task_done(void **state)
{
    (void)state;
    for (uint64_t run = 1; run <= 300; run++) {
        uint64_t seed = run;
        int n_workers = 1 + (int)(chance(&seed) * WORKERS_MAX);

        prepare(n_workers, (int)(chance(&seed) * 200), 1 + 100 * chance(&seed), run);
        for (int w = 0; w < n_workers; w++) {
            sim.rate[w] = 1 + 1e4 * chance(&seed) * chance(&seed) * chance(&seed);
            sim.guess[w] = sim.rate[w] * (0.1 + 10 * chance(&seed)); /* a guess */
            if (w > 0 && chance(&seed) < 0.4)
                sim.dies[w] = 2 * chance(&seed);
        }
        simulate();
        assert_each_done_once();
    }
}

/* @return how much longer the run took than perfectly divisible work */
static double excess(int n_tasks, double max_cost, double seconds)
{
    static const double weight[3] = {1, 3, 100};
    double all;

    prepare(3, n_tasks, max_cost, 1);
    all = sim.left;
    for (int w = 0; w < 3; w++)
        sim.rate[w] = sim.guess[w] = weight[w] / 104 * all / seconds;
    simulate();
    assert_each_done_once();
    return sim.end / seconds - 1;
}

static void unequal_workers_end_together(void **state)
{
    (void)state;
    assert_true(excess(1000, 2, 10) < 0.15);
    assert_true(excess(300, 3, 5) < 0.15);
    assert_true(excess(3000, 100, 60) < 0.15);
    assert_true(excess(1000, 1, 0.5) < 0.15);
}

static void equal_workers_end_together(void **state)
{
    (void)state;
    prepare(6, 600, 2, 1);
    for (int w = 0; w < 6; w++)
        sim.rate[w] = sim.guess[w] = sim.left / 60;
    simulate();
    assert_each_done_once();
    assert_true(sim.end < 10 * 1.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_holds_two_tasks_whatever_they_cost),
        cmocka_unit_test(the_window_holds_a_second_or_more_of_work),
        cmocka_unit_test(a_slow_worker_leaves_the_last_tasks_to_a_fast_one),
        cmocka_unit_test(an_idle_slow_worker_helps_a_fast_one_that_is_full),
        cmocka_unit_test(equal_workers_share_the_last_tasks),
        cmocka_unit_test(the_last_task_is_not_refused_by_all),
        cmocka_unit_test(a_worker_that_is_gone_gets_nothing_and_blocks_nobody),
        cmocka_unit_test(a_task_that_a_worker_does_not_hold_is_not_settled),
        cmocka_unit_test(a_worker_of_unknown_rate_gets_its_first_task),
        cmocka_unit_test(a_guess_far_too_low_costs_little),
        cmocka_unit_test(totals_do_not_drift),
        cmocka_unit_test(many_tasks_are_settled_in_any_order),
        cmocka_unit_test(every_run_ends_with_every_task_done),
        cmocka_unit_test(unequal_workers_end_together),
        cmocka_unit_test(equal_workers_end_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
